import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { AppContext, Config } from '#server/platform/app-context.ts';
import { insertSetting, readSetting } from '#server/platform/db/server-settings.ts';

/** The setting and the file by which a proxy knows the folder of the servers' repositories. */
const SETTING = 'repositories-folder';
const FILE = '.daybook-folder';

export const getRepositoriesFolder = ({
  repositoriesDir,
  dataDir,
}: Pick<Config, 'repositoriesDir' | 'dataDir'>): string =>
  repositoriesDir ?? join(dataDir, 'repositories');

/** Marks the folder of this server, so that proxies know it. */
export async function markRepositoriesFolder({ store, chance, config }: AppContext): Promise<void> {
  const id = await store.system(async (db) => {
    await insertSetting(db, SETTING, chance.uuid());
    return readSetting(db, SETTING);
  });
  const folder = getRepositoriesFolder(config);
  await mkdir(folder, { recursive: true, mode: 0o700 });
  await writeFile(join(folder, FILE), `${id}\n`, { mode: 0o600 });
}

/** Whether this process has the folder of the servers. */
export async function hasRepositoriesFolder({ store, config }: AppContext): Promise<boolean> {
  const id = await store.system((db) => readSetting(db, SETTING));
  const text = await readFile(join(getRepositoriesFolder(config), FILE), 'utf8').catch(() => '');
  return id !== null && text.trim() === id;
}
