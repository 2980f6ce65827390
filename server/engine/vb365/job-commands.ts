import { JOB_ACTIONS } from '#contract/connections/connection.ts';
import type { Vb365Client } from './client.ts';

export type JobAction = (typeof JOB_ACTIONS)[number];

/** Starts or stops a job on the server, or switches its schedule on or off. */
export async function commandJob(
  client: Vb365Client,
  job: string,
  action: JobAction,
): Promise<void> {
  await client.command(
    {
      method: 'POST',
      path: `Jobs/${encodeURIComponent(job)}/${action}`,
      // The server wants a body here, also of a start as usual.
      ...(action === 'start' && { body: { full: false } }),
    },
    null,
  );
}
