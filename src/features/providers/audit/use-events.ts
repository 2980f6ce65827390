import { useEffect, useState } from 'react';
import type { OutputOf, InputOf } from '#contract/calls.ts';
import { BASE } from '#contract/messages/base.messages.en.ts';
import { client } from '#src/app/worker/worker-client.ts';

type Page = OutputOf<'adminEvents'>;
/**
 * `page`: null before the first one has arrived. The previous page stays while another one loads.
 */
export interface EventsAsked {
  readonly page: Page | null;
  readonly busy: boolean;
  readonly fault: string | null;
  readonly again: () => void;
}

/** Loads a page of the log. It is the server's own record and is never stored on this device. */
export function useEvents(ask: InputOf<'adminEvents'>, wanted: boolean): EventsAsked {
  const [told, setTold] = useState<{
    readonly key: string;
    readonly page: Page | null;
    readonly fault: string | null;
  }>({ key: '', page: null, fault: null });
  const [turn, setTurn] = useState(0);
  const question = JSON.stringify(ask);
  const key = `${turn} ${String(wanted)} ${question}`;
  useEffect(() => {
    if (!wanted) return;
    let gone = false;
    const asked = async (): Promise<void> => {
      const answer = await client()
        .ask('adminEvents', JSON.parse(question) as InputOf<'adminEvents'>)
        .catch(() => null);
      if (gone) return;
      setTold((old) =>
        answer === null
          ? { key, page: old.page, fault: BASE.noAnswer }
          : answer.ok
            ? { key, page: answer.value, fault: null }
            : { key, page: old.page, fault: answer.failure.message },
      );
    };
    void asked();
    return () => {
      gone = true;
    };
  }, [key, question, wanted]);
  return {
    page: told.page,
    busy: wanted && told.key !== key,
    fault: told.fault,
    again: () => setTurn(turn + 1),
  };
}
