/** Process metrics, under the standard names of Prometheus clients in all languages and for Node. */
import { readdirSync } from 'node:fs';
import { monitorEventLoopDelay } from 'node:perf_hooks';
import { counter, type Family, gauge } from './exposition.ts';

const lagResolutionMs = 20;

interface ProcessFigures {
  families(): Family[];
  stop(): void;
}

export function watchProcess(version: string): ProcessFigures {
  const lag = monitorEventLoopDelay({ resolution: lagResolutionMs });
  lag.enable();
  /** The monitor measures the time between its ticks; anything beyond the interval is lag. */
  const lagSeconds = (nanoseconds: number) =>
    lag.count === 0 ? 0 : Math.max(0, nanoseconds / 1e9 - lagResolutionMs / 1_000);
  const lagFamilies = () => {
    const families = [
      gauge({ name: 'nodejs_eventloop_lag_p50_seconds', help: 'Median event-loop lag since the last scrape.' }, [
        { value: lagSeconds(lag.percentile(50)) },
      ]),
      gauge(
        {
          name: 'nodejs_eventloop_lag_p99_seconds',
          help: '99th percentile of event-loop lag since the last scrape.',
        },
        [{ value: lagSeconds(lag.percentile(99)) }],
      ),
      gauge(
        {
          name: 'nodejs_eventloop_lag_max_seconds',
          help: 'Maximum event-loop lag since the last scrape.',
        },
        [{ value: lagSeconds(lag.max) }],
      ),
    ];
    lag.reset();
    return families;
  };
  return {
    families: () => [...lagFamilies(), ...usage(), ...constants(version)],
    stop: () => lag.disable(),
  };
}

function usage(): Family[] {
  const { user, system } = process.cpuUsage();
  const { rss, heapTotal, heapUsed, external } = process.memoryUsage();
  return [
    counter({ name: 'nodejs_eventloop_active_seconds_total', help: 'Time the event loop was busy.' }, [
      { value: performance.eventLoopUtilization().active / 1_000 },
    ]),
    counter({ name: 'process_cpu_user_seconds_total', help: 'User CPU time.' }, [{ value: user / 1e6 }]),
    counter({ name: 'process_cpu_system_seconds_total', help: 'System CPU time.' }, [{ value: system / 1e6 }]),
    counter({ name: 'process_cpu_seconds_total', help: 'User and system CPU time.' }, [
      { value: (user + system) / 1e6 },
    ]),
    gauge({ name: 'process_resident_memory_bytes', help: 'Resident memory.' }, [{ value: rss }]),
    gauge({ name: 'nodejs_heap_size_total_bytes', help: 'Total size of the heap.' }, [{ value: heapTotal }]),
    gauge({ name: 'nodejs_heap_size_used_bytes', help: 'Used size of the heap.' }, [{ value: heapUsed }]),
    gauge({ name: 'nodejs_external_memory_bytes', help: 'Memory of buffers outside the heap.' }, [{ value: external }]),
    gauge({ name: 'process_open_fds', help: 'Open files and sockets.' }, openFiles()),
  ];
}

/** Available only on Linux. */
function openFiles() {
  try {
    return [{ value: readdirSync('/proc/self/fd').length }];
  } catch {
    return [];
  }
}

const constants = (version: string): Family[] => [
  gauge({ name: 'process_start_time_seconds', help: 'Start time of the process since the Unix epoch.' }, [
    { value: Math.round(performance.timeOrigin) / 1_000 },
  ]),
  gauge({ name: 'burgee_build_info', help: 'Always 1; the labels are the versions.' }, [
    { value: 1, labels: { version, node: process.version } },
  ]),
];
