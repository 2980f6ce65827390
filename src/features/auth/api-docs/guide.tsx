import { Link } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import { LIMITS } from '#contract/limits.ts';
import { CopyText } from '#src/ui/copy-text.tsx';
import { formatCount } from '#src/ui/format.ts';

/** What holds for every call, before the calls. */
export function Guide() {
  const api = `${location.origin}/api/v1`;
  return (
    <div className="grid max-w-[840px] grid-cols-[minmax(0,1fr)] gap-6">
      <Chapter title="Begin">
        <p className="m-0">
          Make a key under{' '}
          <Link to="/monitoring/api-keys" className="text-accent underline underline-offset-2">
            API keys
          </Link>
          , keep it where programs find it, and ask what it may do:
        </p>
        <CopyText
          text={`export DAYBOOK_KEY=dbu_…\ncurl -H "Authorization: Bearer $DAYBOOK_KEY" '${api}/api-key'`}
          label="Copy the first call"
          copied="Example copied"
        />
        <p className="m-0">
          A key has some of its user's abilities. A call needs the ability that stands beside it, of
          the key and of the user at that moment, and sees the companies of the user. Calls for
          people, such as passwords, sessions, keys and users' accounts, refuse every key.
        </p>
        <p className="m-0">
          A key goes in the header, never into an address, and not into a page of another site:
          browsers are not let in from there. It begins with <Code>dbu_</Code>, so that whoever
          looks for leaked secrets finds it by <Code>{'dbu_[0-9A-Za-z]{49}'}</Code>.
        </p>
      </Chapter>
      <Chapter title="Answers and failures">
        <p className="m-0">
          JSON answers stand in an envelope. Go by the kind of a failure; the message is a sentence
          for a person.
        </p>
        <pre className="m-0 rounded-part bg-wash px-3 py-2 font-mono text-agate break-words whitespace-pre-wrap">
          {
            '{ "success": true, "data": … }\n{ "success": false, "message": "…", "error": { "kind": "bad-input", "issues": [ … ] } }'
          }
        </pre>
        <p className="m-0">
          Fields that nobody knows are refused. Times are milliseconds since 1970 in UTC, or ISO
          8601 where a field says so. What is not there and what is not yours get the same 404.
        </p>
        <p className="m-0">
          A call that changes something may carry <Code>Idempotency-Key</Code>,{' '}
          <Code>Daybook-Device</Code> (UUIDs that you make) and <Code>Daybook-Order</Code> (counted
          up from 1 for that device), where it takes them: sent twice it is done once.
        </p>
      </Chapter>
      <Chapter title="Pace">
        <ul className="m-0 grid gap-1 pl-5">
          <li>
            {formatCount(LIMITS.apiKeyPerMinute)} calls a minute for each key,{' '}
            {formatCount(LIMITS.apiKeyAtOnce)} of them at once.
          </li>
          <li>
            {formatCount(LIMITS.apiAddressPerMinute)} calls a minute for each address, whatever keys
            it uses.
          </li>
          <li>
            {formatCount(LIMITS.ingestPerMinute)} requests a minute for each ingest key, with up to{' '}
            {formatCount(LIMITS.ingestRecords)} records in each.
          </li>
        </ul>
        <p className="m-0">
          Each answer to a key says what is left in <Code>RateLimit</Code> (<Code>r</Code> calls,{' '}
          <Code>t</Code> seconds until it begins anew) beside <Code>RateLimit-Policy</Code> (
          <Code>q</Code> calls in <Code>w</Code> seconds). Too fast is 429, too much at once is 503:
          wait the seconds of <Code>Retry-After</Code>.
        </p>
      </Chapter>
      <Chapter title="Pages">
        <p className="m-0">
          Lists take <Code>page</Code> from 1 and <Code>pageSize</Code> up to 200, and answer{' '}
          <Code>rows</Code> with the <Code>count</Code> of all. Exports answer the whole as a file.
        </p>
      </Chapter>
      <Chapter title="Events">
        <p className="m-0">
          To follow what happens, ask for events after a cursor. With an empty <Code>epoch</Code>{' '}
          the answer names the present epoch and the place to go on from:
        </p>
        <CopyText
          text={`curl -H "Authorization: Bearer $DAYBOOK_KEY" '${api}/sync/events?after=0&epoch='`}
          label="Copy the call for events"
          copied="Example copied"
        />
        <p className="m-0">
          Ask again with that <Code>epoch</Code> and the last <Code>cursor</Code> as{' '}
          <Code>after</Code>, at once while <Code>more</Code> is true, else every few seconds. Keep
          the cursor when you have worked off its events: none is told twice and none is left out.
          Begin with <Code>after=0</Code> and the epoch to read everything from the first event.
          Another epoch in the answer, or a cursor that lies before yours, means that the server was
          restored: read anew. Types that you do not know may come; pass them over.
        </p>
      </Chapter>
      <Chapter title="The description">
        <p className="m-0">
          All of it for machines, as OpenAPI 3.1:{' '}
          <a
            href="/api/v1/openapi.json"
            target="_blank"
            rel="noreferrer"
            className="text-accent underline underline-offset-2"
          >
            {api}/openapi.json
          </a>
          . What stands below is read from it.
        </p>
      </Chapter>
    </div>
  );
}

const Code = ({ children }: { readonly children: ReactNode }) => (
  <code className="font-mono text-agate break-words">{children}</code>
);

function Chapter({ title, children }: { readonly title: string; readonly children: ReactNode }) {
  return (
    <section className="grid grid-cols-[minmax(0,1fr)] gap-2">
      <h2 className="m-0 text-body font-semibold">{title}</h2>
      {children}
    </section>
  );
}
