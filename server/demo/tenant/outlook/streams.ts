import { GraphError } from '../graph-error.ts';
import { changeKey } from '../ids.ts';
import type { Person } from '../people.ts';
import type { Tenant } from '../store.ts';
import {
  type OutlookFolder,
  type OutlookItem,
  type OutlookItemKind,
  type Props,
  addOutlookItem,
  readItemProps,
  updateOutlookItem,
} from './store.ts';

// Calendars and contacts as opaque streams. What is imported is stored as it is: nobody is invited.

interface Stream {
  readonly outlook: OutlookItemKind;
  readonly props: Props;
  readonly photo: string | null;
}

export const findOutlookItemById = (
  { store }: Tenant,
  mailbox: string,
  key: string,
): OutlookItem | undefined =>
  store.get<OutlookItem>(
    "select * from outlook_item where mailbox = ? and kind <> 'task' and (id = ? or stable_id = ?)",
    mailbox,
    key,
    key,
  );

export function outlookStream(item: OutlookItem): string {
  const stream: Stream = {
    outlook: item.kind,
    props: readItemProps(item),
    photo: item.photo ? Buffer.from(item.photo).toString('base64') : null,
  };
  return Buffer.from(JSON.stringify(stream)).toString('base64');
}

/** Returns null if the stream is that of a mail. @throws GraphError another state of the item */
export function importOutlookItem(
  tenant: Tenant,
  person: Person,
  input: {
    readonly FolderId: string;
    readonly Data: string;
    readonly ItemId?: string | undefined;
    readonly ChangeKey?: string | undefined;
  },
): OutlookItem | null {
  const stream = readStream(input.Data);
  if (stream === null) return null;
  const folder = tenant.store.get<OutlookFolder>(
    'select * from outlook_folder where mailbox = ? and id = ?',
    person.id,
    input.FolderId,
  );
  if (!folder) throw new GraphError(404, 'ErrorItemNotFound', 'The folder was not found.');
  const photo = stream.photo === null ? null : new Uint8Array(Buffer.from(stream.photo, 'base64'));
  if (input.ItemId === undefined)
    return addOutlookItem(tenant, folder, stream.outlook, stream.props, photo);
  const item = findOutlookItemById(tenant, person.id, input.ItemId);
  if (!item || changeKey(tenant, item.n, item.seq) !== input.ChangeKey)
    throw new GraphError(
      409,
      'ErrorIrresolvableConflict',
      'The change key does not match the item.',
    );
  return updateOutlookItem(tenant, item, {
    props: stream.props,
    ...(photo === null ? {} : { photo }),
  });
}

function readStream(data: string): Stream | null {
  try {
    const stream = JSON.parse(Buffer.from(data, 'base64').toString()) as Stream | null;
    return typeof stream?.outlook === 'string' ? stream : null;
  } catch {
    return null;
  }
}
