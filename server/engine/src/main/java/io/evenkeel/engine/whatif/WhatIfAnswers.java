package io.evenkeel.engine.whatif;

import io.evenkeel.engine.model.KindVersions;
import java.util.List;

/**
 * The verdicts on the cases of one call, all from one state.
 *
 * @param revision the engine's revision from which the cases start
 * @param versions how current the state of each kind of object is
 * @param results one for each case, in order
 */
public record WhatIfAnswers(long revision, KindVersions versions, List<WhatIfResult> results) {}
