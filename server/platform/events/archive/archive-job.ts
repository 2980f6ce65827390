import { join } from 'node:path';
import { DAY_MS } from '#contract/time/durations.ts';
import type { AppContext, Config } from '../../app-context.ts';
import type { JobHandler } from '../../jobs/job-types.ts';
import { archiveLog } from './archive-log.ts';

/** Fewer old events wait for more: a small provider's log is never cut. */
const MIN_EVENTS = 10_000;
/** The maximum number of events in a file, unless a single batch has more. */
const MAX_EVENTS = 200_000;
/** So that nobody waits for long meanwhile. */
const PIECE_ROWS = 5_000;

/** Returns the folder of the archive. */
export const getArchiveFolder = ({
  archiveDir,
  dataDir,
}: Pick<Config, 'archiveDir' | 'dataDir'>): string => archiveDir ?? join(dataDir, 'archive');

/**
 * ARCH-1: once a day, moves events that are older than the configured number of days into the archive,
 * one file after the other.
 */
export const logArchive =
  ({
    store,
    config,
    log,
    clock,
  }: Pick<AppContext, 'store' | 'config' | 'log' | 'clock'>): JobHandler<'log-archive'> =>
  async ({ tenant, now, signal }) => {
    const days = config.archiveAfterDays ?? 0;
    if (days === 0) return now + DAY_MS;
    const folder = getArchiveFolder(config);
    const policy = {
      folder,
      before: now - days * DAY_MS,
      minEvents: MIN_EVENTS,
      maxEvents: MAX_EVENTS,
      pieceRows: PIECE_ROWS,
    };
    for (;;) {
      const events = await archiveLog({ store, tenant, signal }, policy, clock.now());
      if (events === 0) return now + DAY_MS;
      log.info('old events were archived', { tenant, events, folder });
    }
  };
