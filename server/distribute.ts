import { readArguments } from './command-syntax.ts';
import { commandMessages as t } from './commands.messages.en.ts';
import { readConfig } from './platform/config.ts';
import { say, stop, withStore } from './platform/db/command-line.ts';
import { distribute, type DistributeOutcome } from './platform/db/distribute.ts';

/**
 * `distribute`: migrates a PostgreSQL database with Citus and distributes its tables over the nodes. Safe to repeat. Servers must be stopped: their connections don't know the nodes.
 */
readArguments('distribute');
const settings = readConfig(process.env, '.');
if (typeof settings === 'string') stop(settings);
else if (settings.config.databaseUrl === null) stop(t.distributeEmbedded);
else {
  const { databaseUrl } = settings.config;
  // Opening the store migrates the database.
  await withStore(async () => {
    const outcome = await distribute(databaseUrl);
    if (outcome.kind === 'distributed') say(t.distributed({ tables: outcome.tables.length }));
    else stop(getText(outcome));
    return outcome.kind === 'distributed' ? 0 : 1;
  });
}

function getText(obstacle: Exclude<DistributeOutcome, { kind: 'distributed' }>): string {
  switch (obstacle.kind) {
    case 'no-citus':
      return t.distributeNoCitus;
    case 'no-workers':
      return t.distributeNoWorkers;
    case 'not-superuser':
      return t.distributeNotSuperuser({ user: obstacle.user });
    case 'no-prepared-transactions':
      return t.distributeNoPrepared({ node: obstacle.node });
    case 'role-refused':
      return t.distributeRoleRefused({ reason: obstacle.reason });
  }
}
