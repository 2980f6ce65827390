import { useEffect, useState } from 'react';
import type { OutputOf, InputOf } from '#contract/calls.ts';
import type { Failure } from '#contract/errors.ts';
import { BASE } from '#contract/messages/base.messages.en.ts';
import { client } from '#src/app/worker/worker-client.ts';

type Page = OutputOf<'listAdminEvents'>;
/**
 * `page`: null before the first one has arrived. The previous page stays while another one loads.
 */
export interface EventsQuery {
  readonly page: Page | null;
  readonly busy: boolean;
  readonly failure: Failure | null;
  readonly again: () => void;
}

/** Loads a page of the log. It is the server's own record and is never stored on this device. */
export function useEvents(ask: InputOf<'listAdminEvents'>, wanted: boolean): EventsQuery {
  const [details, setResult] = useState<{
    readonly key: string;
    readonly page: Page | null;
    readonly failure: Failure | null;
  }>({ key: '', page: null, failure: null });
  const [turn, setTurn] = useState(0);
  const question = JSON.stringify(ask);
  const key = `${turn} ${String(wanted)} ${question}`;
  useEffect(() => {
    if (!wanted) return;
    let gone = false;
    const load = async (): Promise<void> => {
      const answer = await client()
        .ask('listAdminEvents', JSON.parse(question) as InputOf<'listAdminEvents'>)
        .catch(() => null);
      if (gone) return;
      setResult((old) =>
        answer === null
          ? { key, page: old.page, failure: { kind: 'no-answer', message: BASE.noAnswer } }
          : answer.ok
            ? { key, page: answer.value, failure: null }
            : { key, page: old.page, failure: answer.failure },
      );
    };
    void load();
    return () => {
      gone = true;
    };
  }, [key, question, wanted]);
  return {
    page: details.page,
    busy: wanted && details.key !== key,
    failure: details.failure,
    again: () => setTurn(turn + 1),
  };
}
