/** Counts requests by route, method and status. */
import { type Family, labelText, line } from './exposition.ts';
import { Histogram } from './histogram.ts';

/**
 * Called once for each request. The route is the pattern, not the path: there are endless paths. Looked up by the
 * strings themselves, so nothing is allocated per request.
 */
export type Answered = (route: string | undefined, method: string, status: number, seconds: number) => void;

interface Requests {
  readonly answered: Answered;
  families(): Family[];
}

interface Series {
  readonly labels: string;
  readonly seconds: Histogram;
  readonly byStatus: Map<number, number>;
}

/** No route matched, or the request was refused before routing. */
const noRoute = 'none';

export function countRequests(): Requests {
  const routes = new Map<string, Map<string, Series>>();
  const add = (route: string, method: string): Series => {
    const methods = routes.get(route) ?? new Map<string, Series>();
    const series = { labels: labelText({ method, route }), seconds: new Histogram(), byStatus: new Map() };
    routes.set(route, methods.set(method, series));
    return series;
  };
  const all = () => [...routes.values()].flatMap((methods) => [...methods.values()]);
  return {
    answered: (route = noRoute, method, status, seconds) => {
      const series = routes.get(route)?.get(method) ?? add(route, method);
      series.seconds.observe(seconds);
      series.byStatus.set(status, (series.byStatus.get(status) ?? 0) + 1);
    },
    families: () => [
      {
        name: 'burgee_http_requests_total',
        type: 'counter',
        help: 'Answered requests.',
        lines: all().flatMap(({ labels, byStatus }) =>
          [...byStatus].map(([status, count]) =>
            line('burgee_http_requests_total', `${labels},status="${status}"`, count),
          ),
        ),
      },
      {
        name: 'burgee_http_request_duration_seconds',
        type: 'histogram',
        help: 'Time from the request headers to the end of the response.',
        lines: all().flatMap(({ labels, seconds }) => seconds.lines('burgee_http_request_duration_seconds', labels)),
      },
    ],
  };
}
