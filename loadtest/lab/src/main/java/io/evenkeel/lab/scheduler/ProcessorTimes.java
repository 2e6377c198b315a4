package io.evenkeel.lab.scheduler;

import io.evenkeel.lab.controlplane.ControlPlane;
import io.evenkeel.lab.controlplane.ControlPlane.Program;
import java.time.Duration;

/**
 * The processor time of each process of a turn, in seconds.
 *
 * @param asked the Evenkeel server that the scheduler calls
 */
record ProcessorTimes(double scheduler, double asked, double apiServer, double etcd, double harness) {
    /** The processor times so far. */
    static ProcessorTimes now(Contender contender, ControlPlane plane) {
        return new ProcessorTimes(
                seconds(contender.schedulerTime()),
                seconds(contender.evenkeelTime()),
                seconds(plane.processorTime(Program.API_SERVER)),
                seconds(plane.processorTime(Program.ETCD)),
                seconds(ProcessHandle.current().info().totalCpuDuration().orElse(Duration.ZERO)));
    }

    ProcessorTimes since(ProcessorTimes before) {
        return new ProcessorTimes(
                scheduler - before.scheduler,
                asked - before.asked,
                apiServer - before.apiServer,
                etcd - before.etcd,
                harness - before.harness);
    }

    private static double seconds(Duration time) {
        return time.toNanos() / 1e9;
    }
}
