import type { Ms } from '#contract/ids.ts';
import { type FailurePlan, failRequest } from './failure-plan.ts';
import type { Tenant } from './store.ts';

export interface LoggedRequest {
  readonly at: Ms;
  readonly method: string;
  readonly host: string;
  /** Path and query, without the tickets of downloads. */
  readonly path: string;
  /** Null if the connection broke. */
  readonly status: number | null;
  readonly userAgent: string | null;
}

const MAX_LOGGED = 5000;

/** Lets requests fail as planned, and logs all of them. */
export interface RequestWatch {
  fetch(this: void, request: Request): Promise<Response>;
  setPlan(plan: FailurePlan): void;
  requests(): readonly LoggedRequest[];
}

export function createWatch(
  tenant: Tenant,
  answer: (request: Request) => Promise<Response>,
): RequestWatch {
  const log: LoggedRequest[] = [];
  let plan: FailurePlan | null = null;
  return {
    fetch: async (request) => {
      const note = (status: number | null): void => {
        const { hostname, pathname, search } = new URL(request.url);
        log.push({
          at: tenant.now(),
          method: request.method,
          host: hostname,
          path: pathname + search.replace(/(tempauth|authtoken|guid)=[^&]*/g, '$1=…'),
          status,
          userAgent: request.headers.get('user-agent'),
        });
        if (log.length > MAX_LOGGED) log.shift();
      };
      const rule = plan?.next(request) ?? null;
      try {
        const response = rule
          ? await failRequest(rule, request, () => answer(request))
          : await answer(request);
        note(response.status);
        return response;
      } catch (error) {
        note(null);
        throw error;
      }
    },
    setPlan: (next) => {
      plan = next;
    },
    requests: () => [...log],
  };
}
