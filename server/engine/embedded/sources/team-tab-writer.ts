import { createHash } from 'node:crypto';
import * as v from 'valibot';
import type { Reply } from '#contract/engine/engine.ts';
import type { GraphClient, GraphPage } from '../graph/client.ts';
import { graphMessages as t } from '../graph/messages.en.ts';
import type { GraphResult } from '../graph/request.ts';
import { done, failed, nothing } from '../../result.ts';
import type {
  BeforeRemoval,
  FoundObject,
  SourceObject,
  StoredItem,
  WriteInput,
  Written,
} from '../types.ts';
import { parseContent, readContent } from './content.ts';
import { channelPath } from './team-paths.ts';
import type { OpenChannel } from './team-place.ts';

const MAX_BYTES = 4 * 1_048_576;
const text = v.fallback(v.nullish(v.string()), undefined);
const Tab = v.looseObject({
  id: v.string(),
  displayName: text,
  configuration: v.fallback(v.nullish(v.looseObject({})), undefined),
  teamsApp: v.fallback(v.nullish(v.looseObject({ id: text })), undefined),
});
type Tab = v.InferOutput<typeof Tab>;

export const getTabKey = (channel: string, tab: string): string => `tab:${channel}/${tab}`;
export function parseTabKey(key: string): { readonly channel: string; readonly tab: string } {
  const at = key.lastIndexOf('/');
  return { channel: key.slice('tab:'.length, at), tab: key.slice(at + 1) };
}

const getState = ({ displayName, configuration, teamsApp }: Tab): string =>
  createHash('sha256')
    .update(
      JSON.stringify([
        displayName,
        teamsApp?.id,
        Object.entries(configuration ?? {}).toSorted(byName),
      ]),
    )
    .digest('base64url');
const byName = ([a]: readonly [string, unknown], [b]: readonly [string, unknown]): number =>
  a < b ? -1 : 1;

async function readStored(content: WriteInput['content']): Reply<Tab> {
  const bytes = await readContent(await content('json'), MAX_BYTES);
  if (!bytes.ok) return bytes;
  const read = v.safeParse(Tab, parseContent(bytes.value));
  return read.success ? { ok: true, value: read.output } : failed('damaged', t.unreadable);
}

/**
 * Finds a tab by its id, or by its name and app. `others`: finds what a restore wrote beside these
 * instead.
 */
export async function findTab(
  client: GraphClient,
  object: SourceObject,
  channel: OpenChannel,
  item: StoredItem,
  content: WriteInput['content'],
  others: readonly string[] | null,
): Reply<FoundObject | null> {
  const stored = await readStored(content);
  if (!stored.ok) return stored;
  const tabs: Tab[] = [];
  const first = `${channelPath(object, channel.id)}/tabs?$expand=teamsApp`;
  for (let link: string | null = first; link !== null;) {
    const page: GraphResult<GraphPage<Tab>> = await client.page(link, Tab);
    if (!page.ok) return { ok: false, error: page.error };
    tabs.push(...page.value.rows);
    link = page.value.next;
  }
  const state = getState(stored.value);
  const found =
    others === null
      ? (tabs.find(({ id }) => id === item.key) ??
        tabs.find(
          (tab) =>
            tab.displayName === stored.value.displayName &&
            tab.teamsApp?.id === stored.value.teamsApp?.id,
        ))
      : tabs.find(
          (tab) => !others.includes(getTabKey(channel.id, tab.id)) && getState(tab) === state,
        );
  if (found === undefined) return nothing;
  const changeKey = getState(found);
  const key = getTabKey(channel.id, found.id);
  return { ok: true, value: { key, changeKey, isSame: changeKey === state } };
}

export async function writeTab(
  client: GraphClient,
  object: SourceObject,
  channel: OpenChannel,
  { replaces, content }: WriteInput,
): Reply<Written> {
  const stored = await readStored(content);
  if (!stored.ok) return stored;
  const { displayName, configuration, teamsApp } = stored.value;
  const path = `${channelPath(object, channel.id)}/tabs`;
  const changeKey = getState(stored.value);
  if (replaces !== null) {
    const { tab } = parseTabKey(replaces.key);
    const changed = await client.patch(
      `${path}/${encodeURIComponent(tab)}`,
      { displayName, configuration },
      v.unknown(),
    );
    return changed.ok
      ? { ok: true, value: { key: replaces.key, changeKey } }
      : { ok: false, error: changed.error };
  }
  const created = await client.post(
    path,
    {
      displayName,
      'teamsApp@odata.bind': `https://graph.microsoft.com/v1.0/appCatalogs/teamsApps/${teamsApp?.id ?? ''}`,
      configuration,
    },
    v.object({ id: v.string() }),
  );
  return created.ok
    ? { ok: true, value: { key: getTabKey(channel.id, created.value.id), changeKey } }
    : { ok: false, error: created.error };
}

/** Removes a tab, unless it has changed since it was written or is gone. */
export async function removeTab(
  client: GraphClient,
  object: SourceObject,
  { key, changeKey }: Written,
  before: BeforeRemoval | undefined,
): Reply<void> {
  const { channel, tab } = parseTabKey(key);
  const path = `${channelPath(object, channel)}/tabs/${encodeURIComponent(tab)}`;
  const now = await client.get(`${path}?$expand=teamsApp`, Tab);
  if (!now.ok) return { ok: false, error: now.error };
  if (getState(now.value) !== changeKey) return failed('conflict', t.conflict);
  await before?.();
  const removed = await client.delete(path);
  return removed.ok ? done : { ok: false, error: removed.error };
}
