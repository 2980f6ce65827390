import type { Clock } from '#server/platform/app-context.ts';
import { type LimitedReader, makeLimitedReader } from '#server/platform/threads/limited-reader.ts';
import type { PstMessage, MessageAttachment } from '../message.ts';
import type { Property } from '../properties.ts';

export type ItemReader = LimitedReader<PstMessage>;

/** Reads stored events, contacts and tasks as Outlook stores them, in threads (G67). */
export function makeItemReader(context: { readonly clock: Clock }): ItemReader {
  const threads = makeLimitedReader<PstMessage>(context, {
    timeoutMs: 60_000,
    memoryMb: 512,
    script: new URL('./item-thread.ts', import.meta.url),
    maxRunning: 1,
    maxWaiting: 256,
  });
  return {
    async read(json) {
      const result = await threads.read(json);
      return result.kind === 'read' ? { ...result, value: restoreMessage(result.value) } : result;
    },
  };
}

/** What comes from a thread has plain bytes. */
const restoreMessage = (message: PstMessage): PstMessage => ({
  ...message,
  properties: restoreProperties(message.properties),
  recipients: message.recipients.map(restoreProperties),
  attachments: message.attachments.map(restoreAttachment),
});

const restoreAttachment = ({ about, content }: MessageAttachment): MessageAttachment => ({
  about: restoreProperties(about),
  content:
    content.kind === 'file' ? content : { ...content, message: restoreMessage(content.message) },
});

const restoreProperties = (properties: readonly Property[]): Property[] =>
  properties.map(({ id, type, value }) => ({
    id,
    type,
    value: Buffer.from(value.buffer, value.byteOffset, value.byteLength),
  }));
