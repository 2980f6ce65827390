import { Link } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import { LIMITS, PROTOCOL } from '#contract/limits.ts';
import { CopyText } from '#src/ui/copy-text.tsx';
import { formatCount } from '#src/ui/format.ts';
import { richText } from '#src/ui/rich-text.tsx';
import { apiMessages as t } from './messages.en.ts';

/** Rules that apply to all calls, above the list. */
export function Guide() {
  const api = `${location.origin}/api/v1`;
  return (
    <div className="grid max-w-[840px] grid-cols-[minmax(0,1fr)] gap-6">
      <Chapter title={t.start}>
        <p className="m-0">
          {richText(t.createKey, {
            link: (
              <Link to="/monitoring/api-keys" className="text-accent underline underline-offset-2">
                {t.apiKeys}
              </Link>
            ),
          })}
        </p>
        <CopyText
          text={`export DAYBOOK_KEY=dbu_…\ncurl -H "Authorization: Bearer $DAYBOOK_KEY" '${api}/api-key'`}
          label={t.copyFirstCall}
          copied={t.exampleCopied}
        />
        <p className="m-0">
          {t.permissions} {t.peopleOnly}
        </p>
        <p className="m-0">
          {t.sendInHeader}{' '}
          {richText(t.secretScanning, {
            prefix: code('dbu_'),
            pattern: code('dbu_[0-9A-Za-z]{49}'),
          })}
        </p>
      </Chapter>
      <Chapter title={t.answers}>
        <p className="m-0">
          {richText(t.envelope, { kind: code('kind'), message: code('message') })}
        </p>
        <pre className="m-0 rounded-part bg-wash px-3 py-2 font-mono text-agate break-words whitespace-pre-wrap">
          {
            '{ "success": true, "data": … }\n{ "success": false, "message": "…", "error": { "kind": "bad-input", "issues": [ … ] } }'
          }
        </pre>
        <p className="m-0">
          {t.values} {t.notFound}
        </p>
        <p className="m-0">
          {richText(t.idempotency, {
            key: code('Idempotency-Key'),
            device: code('Daybook-Device'),
            order: code('Daybook-Order'),
          })}
        </p>
      </Chapter>
      <Chapter title={t.limits}>
        <ul className="m-0 grid gap-1 pl-5">
          <li>
            {t.keyLimit({
              calls: formatCount(LIMITS.apiKeyPerMinute),
              parallel: formatCount(LIMITS.apiKeyAtOnce),
            })}
          </li>
          <li>{t.addressLimit({ calls: formatCount(LIMITS.apiAddressPerMinute) })}</li>
          <li>
            {t.ingestLimit({
              requests: formatCount(LIMITS.ingestPerMinute),
              records: formatCount(LIMITS.ingestRecords),
            })}
          </li>
        </ul>
        <p className="m-0">
          {richText(t.remaining, {
            limit: code('RateLimit'),
            r: code('r'),
            t: code('t'),
          })}{' '}
          {richText(t.policy, {
            policy: code('RateLimit-Policy'),
            q: code('q'),
            w: code('w'),
          })}{' '}
          {richText(t.tooMany, { retry: code('Retry-After') })}
        </p>
      </Chapter>
      <Chapter title={t.paging}>
        <p className="m-0">
          {richText(t.pagingDetail, {
            page: code('page'),
            pageSize: code('pageSize'),
            rows: code('rows'),
            count: code('count'),
          })}
        </p>
      </Chapter>
      <Chapter title={t.events}>
        <p className="m-0">{richText(t.eventsStart, { epoch: code('epoch') })}</p>
        <CopyText
          text={`curl -H "Authorization: Bearer $DAYBOOK_KEY" '${api}/sync/events?after=0&epoch='`}
          label={t.copyEventsCall}
          copied={t.exampleCopied}
        />
        <p className="m-0">
          {richText(t.eventsNext, {
            epoch: code('epoch'),
            cursor: code('cursor'),
            after: code('after'),
            more: code('more'),
          })}{' '}
          {t.eventsCursor} {richText(t.eventsAll, { start: code('after=0') })}
        </p>
        <p className="m-0">
          {t.eventsRestored} {t.eventsUnknown}
        </p>
        <p className="m-0">
          {richText(t.eventsProtocol, { protocol: code(`protocol=${PROTOCOL}`) })}
        </p>
      </Chapter>
      <Chapter title={t.description}>
        <p className="m-0">
          {richText(t.descriptionDetail, {
            link: (
              <a
                href="/api/v1/openapi.json"
                target="_blank"
                rel="noreferrer"
                className="text-accent underline underline-offset-2"
              >
                {`${api}/openapi.json`}
              </a>
            ),
          })}
        </p>
      </Chapter>
    </div>
  );
}

/** A protocol word; it is not translated. */
const code = (word: string) => <code className="font-mono text-agate break-words">{word}</code>;

function Chapter({ title, children }: { readonly title: string; readonly children: ReactNode }) {
  return (
    <section className="grid grid-cols-[minmax(0,1fr)] gap-2">
      <h2 className="m-0 text-body font-semibold">{title}</h2>
      {children}
    </section>
  );
}
