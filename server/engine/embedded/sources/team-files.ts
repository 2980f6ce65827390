import type { GraphClient } from '../graph/client.ts';
import type { FetchedItem, ItemChange } from '../types.ts';
import { fetchFiles } from './drive.ts';
import { getTeamFileKey, parseFileKey } from './team-paths.ts';

/** Reads files of a team from the drives that they are in. */
export async function* fetchTeamFiles(
  client: GraphClient,
  items: readonly ItemChange[],
): AsyncGenerator<FetchedItem, void> {
  const drives = Map.groupBy(items, ({ key }) => parseFileKey(key).drive);
  for (const [drive, files] of drives) {
    const own = files.map((file) => ({ ...file, key: parseFileKey(file.key).item }));
    const fetched = fetchFiles(client, `/drives/${encodeURIComponent(drive)}`, own);
    for await (const { item, ...result } of fetched)
      yield { item: { ...item, key: getTeamFileKey(drive, item.key) }, ...result };
  }
}
