import type { JobN } from '#contract/ids.ts';
import type { JobRow } from '#contract/runs/rows.ts';
import { ENTITY_GROUPS } from '#contract/runs/vocabulary.ts';
import type { EntityGroup } from '#contract/runs/vocabulary.ts';

/**
 * Returns where a job runs, for grouping and filtering: its server, or its computer if it has none.
 * Empty if unknown.
 */
export const getServer = (job: Pick<JobRow, 'server' | 'computer'> | undefined): string =>
  job ? job.server || job.computer : '';

/** Whether a job looks the same in lists. Its daily statistics don't matter. */
export const isNamedAlike = (a: JobRow | undefined, b: JobRow): boolean =>
  a !== undefined &&
  a.name === b.name &&
  a.computer === b.computer &&
  a.server === b.server &&
  a.company === b.company &&
  a.source === b.source &&
  a.type === b.type &&
  a.group === b.group &&
  a.enabled === b.enabled;

/**
 * The rows of jobs, and tables over their numbers. An unknown job has server 0, which is the empty
 * name, and no entity group.
 */
export class Jobs {
  readonly rows = new Map<JobN, JobRow>();
  /** Names of servers by their own numbers, which never change. */
  readonly servers: string[] = [''];
  private readonly serverNs = new Map<string, number>([['', 0]]);
  private server = new Uint32Array(1);
  private group = new Uint8Array(1);

  put(row: JobRow): void {
    this.rows.set(row.n, row);
    this.reach(row.n);
    const server = getServer(row);
    let n = this.serverNs.get(server);
    if (n === undefined) {
      n = this.servers.push(server) - 1;
      this.serverNs.set(server, n);
    }
    this.server[row.n] = n;
    this.group[row.n] = ENTITY_GROUPS.indexOf(row.group) + 1;
  }

  /** Returns the server number by job, at least up to `most`. */
  serversTo(max: JobN): Uint32Array {
    this.reach(max);
    return this.server;
  }

  serverN(name: string): number | undefined {
    return this.serverNs.get(name);
  }

  /**
   * Sets `masks[n]` to `fail` for jobs of other servers or other entity groups; an empty list means
   * all.
   */
  mark(
    masks: Uint8Array,
    servers: readonly string[],
    groups: readonly EntityGroup[],
    fail: number,
  ): void {
    this.reach(masks.length - 1);
    if (servers.length > 0) {
      const byServer = new Uint8Array(this.servers.length).fill(fail);
      for (const name of servers) byServer[this.serverNs.get(name) ?? byServer.length] = 0;
      for (let n = 0; n < masks.length; n++)
        masks[n] = (masks[n] ?? 0) | (byServer[this.server[n] ?? 0] ?? 0);
    }
    if (groups.length > 0) {
      const byGroup = new Uint8Array(ENTITY_GROUPS.length + 1).fill(fail);
      for (const group of groups) byGroup[ENTITY_GROUPS.indexOf(group) + 1] = 0;
      for (let n = 0; n < masks.length; n++)
        masks[n] = (masks[n] ?? 0) | (byGroup[this.group[n] ?? 0] ?? 0);
    }
  }

  clear(): void {
    this.rows.clear();
    this.server.fill(0);
    this.group.fill(0);
  }

  private reach(max: JobN): void {
    if (max < this.server.length) return;
    const length = Math.max(max + 1, this.server.length * 2);
    const server = new Uint32Array(length);
    const group = new Uint8Array(length);
    server.set(this.server);
    group.set(this.group);
    this.server = server;
    this.group = group;
  }
}
