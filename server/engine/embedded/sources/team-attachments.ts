import * as v from 'valibot';
import type { Message } from './team-posts.ts';
import { teamMessages as t } from './team.messages.en.ts';

const text = v.optional(v.fallback(v.nullable(v.string()), null), null);
const Attachment = v.object({ id: text, contentType: text, contentUrl: text, name: text });
const Mentions = v.fallback(v.array(v.unknown()), []);
const Reactions = v.fallback(v.array(v.unknown()), []);

/** What a message carries beside its text. `url`: of a file that it names; null: it has none. */
export interface PostAttachment {
  readonly id: string | null;
  /** `file`: a link to a file of the tenant. `quote`: of another message. `card`: anything else. */
  readonly kind: 'file' | 'quote' | 'card';
  readonly name: string;
  readonly url: string | null;
}

export function readAttachments(message: Message): readonly PostAttachment[] {
  const list = Array.isArray(message['attachments']) ? (message['attachments'] as unknown[]) : [];
  return list.flatMap((one): PostAttachment[] => {
    const read = v.safeParse(Attachment, one);
    if (!read.success) return [];
    const { id, contentType, contentUrl, name } = read.output;
    const kind =
      contentType === 'reference' ? 'file' : contentType === 'messageReference' ? 'quote' : 'card';
    const url = contentUrl !== null && /^https:\/\//i.test(contentUrl) ? contentUrl : null;
    const words = { file: t.file, quote: t.quote, card: t.card }[kind];
    return [{ id, kind, name: name === null || name === '' ? words : name, url }];
  });
}

/** What Microsoft 365 doesn't import with these messages, in words; null: nothing. */
export function describeLoss(messages: readonly Message[]): string | null {
  const counts = { cards: 0, quotes: 0, mentions: 0, reactions: 0 };
  for (const message of messages) {
    for (const { kind, url } of readAttachments(message)) {
      if (kind === 'quote') counts.quotes += 1;
      else if (kind === 'card' || url === null) counts.cards += 1;
    }
    counts.mentions += v.parse(Mentions, message['mentions'] ?? []).length;
    counts.reactions += v.parse(Reactions, message['reactions'] ?? []).length;
  }
  const { cards, quotes, mentions, reactions } = counts;
  const lost = [
    ...(cards > 0 ? [t.cards({ count: cards })] : []),
    ...(quotes > 0 ? [t.quotes({ count: quotes })] : []),
    ...(reactions > 0 ? [t.reactions({ count: reactions })] : []),
  ];
  const sentences = [
    ...(lost.length > 0 ? [t.notImported({ what: lost.join(', ') })] : []),
    ...(mentions > 0 ? [t.mentionsAsText({ count: mentions })] : []),
  ];
  return sentences.length === 0 ? null : sentences.join(' ');
}
