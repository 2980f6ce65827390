import * as v from 'valibot';
import type { OutputOf } from '#contract/calls.ts';
import type { ItemVersion } from '#contract/engine/search.ts';
import type { Bytes, ExplorerId, NodeId } from '#contract/ids.ts';
import { ok, type Result } from '#contract/result.ts';
import {
  ContentError,
  getAuthor,
  getPlainText,
  htmlToText,
  isDeleted,
  ThreadSchema,
} from '#server/engine/public/content.ts';
import type { AppContext } from '#server/platform/app-context.ts';
import { getAnswer } from '../../backup/engine-calls.ts';
import { collect, readPreviewedMail } from '../preview/read-content.ts';
import type { ReadMail } from '../preview/read-mail.ts';
import type { EngineAt } from '../scope.ts';

type Compared = OutputOf<'compareItemVersions'>;

/** What can be compared of a version. `reason`: why there are no lines. */
export interface VersionText {
  readonly fields: readonly {
    readonly name: Compared['fields'][number]['name'];
    readonly value: string;
  }[];
  readonly lines: readonly string[] | null;
  readonly reason: Compared['reason'];
}

/** Larger files are not compared as text. */
const MAX_TEXT_BYTES: Bytes = 1 << 20;
const MAX_LINES = 5_000;
const NO_TEXT: VersionText = { fields: [], lines: null, reason: 'no-text' };
const TOO_LARGE: VersionText = { fields: [], lines: null, reason: 'too-large' };

/** Reads a version from its backup. The engine records it (G63). */
export async function readVersion(
  { mailPreviews }: AppContext,
  at: EngineAt,
  explorer: ExplorerId,
  { id, kind, sizeBytes }: ItemVersion['node'],
): Promise<Result<VersionText>> {
  switch (kind) {
    case 'mail':
    case 'event':
    case 'contact':
    case 'task':
    case 'note': {
      const mail = await readPreviewedMail(mailPreviews, at, { explorer, node: id });
      return mail.ok ? ok(mailText(mail.value)) : mail;
    }
    case 'tab':
    case 'settings':
      return ok(NO_TEXT);
    case 'post':
      return readText(at, explorer, id, 'json', showThread);
    case 'file':
      if ((sizeBytes ?? 0) > MAX_TEXT_BYTES) return ok(TOO_LARGE);
      return readText(at, explorer, id, 'raw');
    case 'row':
      return readText(at, explorer, id, 'json', indentJson);
    default:
      return kind satisfies never;
  }
}

const toText = (list: ReadMail['to']): string =>
  list.map(({ name, address }) => (name === '' ? address : `${name} <${address}>`)).join('; ');

function mailText({ subject, from, to, cc, sentAt, attachments, body }: ReadMail): VersionText {
  return {
    fields: [
      { name: 'subject', value: subject },
      { name: 'from', value: from === null ? '' : toText([from]) },
      { name: 'to', value: toText(to) },
      { name: 'cc', value: toText(cc) },
      { name: 'sent', value: sentAt === null ? '' : String(sentAt) },
      { name: 'attachments', value: attachments.map(({ name }) => name).join('; ') },
    ],
    ...toLines(body.kind === 'html' ? htmlToText(body.content) : body.content),
  };
}

async function readText(
  { engine, scope }: EngineAt,
  explorer: ExplorerId,
  node: NodeId,
  as: 'raw' | 'json',
  show: (text: string) => string = (text) => text,
): Promise<Result<VersionText>> {
  const content = getAnswer(await engine.readContent(scope, { explorer, node, as }));
  if (!content.ok) return content;
  const { bytes, stream } = content.value;
  if (bytes > MAX_TEXT_BYTES) return ok(TOO_LARGE);
  try {
    const text = decodeText(await collect(stream, bytes));
    if (text === null) return ok(NO_TEXT);
    return ok({ fields: [], ...toLines(show(text)) });
  } catch (error) {
    if (error instanceof ContentError) return getAnswer({ ok: false, error: error.error });
    throw error;
  }
}

/** Null: it isn't text. */
function decodeText(bytes: Uint8Array): string | null {
  try {
    const text = new TextDecoder('utf-8', { fatal: true }).decode(bytes);
    return text.includes('\0') ? null : text;
  } catch {
    return null;
  }
}

function indentJson(text: string): string {
  try {
    return JSON.stringify(JSON.parse(text), null, 2);
  } catch {
    return text;
  }
}

/** A post with its replies: who wrote each when, and its text. */
function showThread(text: string): string {
  try {
    const { post, replies } = v.parse(ThreadSchema, JSON.parse(text));
    return [post, ...replies]
      .filter((message) => !isDeleted(message))
      .map((message) =>
        [
          [getAuthor(message), message.createdDateTime?.slice(0, 16)].filter(Boolean).join(', '),
          message.subject ?? '',
          getPlainText(message.body.content ?? '', message.body.contentType ?? 'text').trim(),
        ]
          .filter((line) => line !== '')
          .join('\n'),
      )
      .join('\n\n');
  } catch {
    return indentJson(text);
  }
}

function toLines(text: string): Pick<VersionText, 'lines' | 'reason'> {
  const lines = text.split(/\r?\n/).map((line) => line.trimEnd().toWellFormed());
  return lines.length > MAX_LINES ? { lines: null, reason: 'too-large' } : { lines, reason: null };
}
