import { systemClock } from './platform/clock.ts';
import { backUp } from './platform/db/backup-file.ts';
import { say, withStore } from './platform/db/command-line.ts';
import { getArchiveFolder } from './platform/events/archive/archive-job.ts';
import { hasCuts } from './platform/events/archive/log-cuts.ts';
import { checkLogs, sealLogs } from './platform/events/verify.ts';
import { reportChecked } from './report-integrity.ts';
import { readArguments } from './command-syntax.ts';
import { commandMessages as t } from './commands.messages.en.ts';

/**
 * `npm run backup <file> [--copy-in <folder>]`: writes everything except sessions, as one consistent
 * snapshot, while the server runs. Of a running embedded database it makes a copy first, in the data
 * folder or the given one. Then checks the logs against their hashes.
 */
const { values, positionals } = readArguments('backup');
const [file] = positionals;
await withStore(
  async (store, config) => {
    await sealLogs(store, { info: () => undefined });
    await backUp(store, file, systemClock.now());
    say(t.backedUp({ file }));
    if (await hasCuts(store)) say(t.backupArchive({ folder: getArchiveFolder(config) }));
    const code = reportChecked(await checkLogs(store));
    if (code !== 0) say(t.backupDamaged);
    return code;
  },
  { copyIn: values['copy-in'] ?? null },
);
