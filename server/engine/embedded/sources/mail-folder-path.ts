import * as v from 'valibot';
import type { Reply } from '#contract/engine/engine.ts';
import type { GraphClient } from '../graph/client.ts';
import { nothing } from '../../result.ts';

const Top = v.object({ id: v.string() });
const Folder = v.object({ displayName: v.string(), parentFolderId: v.string() });

/** The names from the top of the mailbox to a mail folder; null: the mailbox has no such folder. */
export async function readFolderPath(
  { client, user }: { readonly client: GraphClient; readonly user: string },
  key: string,
  headers: Readonly<Record<string, string>>,
): Reply<readonly string[] | null> {
  const folders = `${user}/mailFolders`;
  const top = await client.get(`${folders}/msgfolderroot?$select=id`, Top, { headers });
  if (!top.ok) return { ok: false, error: top.error };
  const names: string[] = [];
  for (let at = key; at !== top.value.id;) {
    const folder = await client.get(
      `${folders}/${encodeURIComponent(at)}?$select=displayName,parentFolderId`,
      Folder,
      { headers },
    );
    if (!folder.ok)
      return folder.error.kind === 'missing' ? nothing : { ok: false, error: folder.error };
    // Above the folders that people see, such as those of recoverable items.
    if (folder.value.parentFolderId === at) return nothing;
    names.unshift(folder.value.displayName);
    at = folder.value.parentFolderId;
  }
  return { ok: true, value: names };
}
