import { useId } from 'react';
import { Badge } from '#src/ui/badge.tsx';
import { CopyText } from '#src/ui/copy-text.tsx';
import { Icon } from '#src/ui/icon.tsx';
import { getCurl } from './parse-openapi.ts';
import type { ApiCall, Shape, CallAudience } from './parse-openapi.ts';
import { richText } from '#src/ui/rich-text.tsx';
import { Fields } from './fields.tsx';
import { apiMessages as t } from './messages.en.ts';

export interface CallProps {
  readonly call: ApiCall;
  readonly open: boolean;
  readonly onToggle: () => void;
}

/** An expandable call: its parameters and answer are below the line. */
export function CallEntry({ call, open, onToggle }: CallProps) {
  const id = useId();
  return (
    <li id={call.id} className="scroll-mt-2 border-b border-hair">
      <h3 className="m-0 font-normal">
        <button
          type="button"
          aria-expanded={open}
          aria-controls={id}
          onClick={onToggle}
          className="flex min-h-10 w-full flex-wrap items-center gap-x-3 gap-y-0.5 py-1.5 text-left hover:bg-wash focus-visible:-outline-offset-2 pointer-coarse:min-h-11"
        >
          <Icon name={open ? 'chevron-down' : 'chevron-right'} className="text-ink-3" />
          <code className="w-14 shrink-0 font-mono text-agate font-semibold">{call.method}</code>
          <code className="min-w-0 font-mono text-agate break-all">{call.path}</code>
          <span className="min-w-0 grow basis-64 text-ink-2">
            {call.description.replaceAll('`', '')}
          </span>
        </button>
      </h3>
      <div id={id} hidden={!open}>
        {open && <CallDetails call={call} />}
      </div>
    </li>
  );
}

function CallDetails({ call }: { readonly call: ApiCall }) {
  const { parameters, body, answer, failures } = call;
  return (
    <div className="grid grid-cols-[minmax(0,1fr)] gap-4 pt-1 pb-5 tablet:pl-7">
      <p className="m-0 flex flex-wrap items-center gap-2">
        <Needs who={call.who} />
        <a
          href={`#${call.id}`}
          className="inline-flex min-h-6 items-center gap-1 text-accent underline underline-offset-2 pointer-coarse:min-h-11"
        >
          {t.linkToCall}
        </a>
      </p>
      {call.note !== null && (
        <p className="m-0 max-w-[72ch] text-ink-2">{call.note.replaceAll('`', '')}</p>
      )}
      {(parameters.length > 0 || body !== null) && (
        <Part title={t.input}>
          {parameters.length > 0 && (
            <Fields fields={parameters} name={t.parametersOf({ call: call.id })} />
          )}
          {body === 'raw' ? (
            <p className="m-0 text-ink-2">{t.rawBody}</p>
          ) : (
            body !== null && (
              <Json
                shape={body}
                description={t.jsonBody}
                withType={t.jsonBodyType}
                name={t.bodyOf({ call: call.id })}
              />
            )
          )}
        </Part>
      )}
      <Part title={t.output}>
        {typeof answer === 'string' ? (
          <p className="m-0 text-ink-2">{answer === '' ? t.noOutput : answer}</p>
        ) : (
          <Json
            shape={answer}
            description={t.inData({ data: 'data' })}
            withType={(values) => t.inDataType({ data: 'data', ...values })}
            name={t.answerOf({ call: call.id })}
          />
        )}
      </Part>
      <Part title={t.errors}>
        <ul className="m-0 grid list-none gap-1 p-0">
          {failures.map(({ status, kinds, description }) => (
            <li key={status} className="flex flex-wrap gap-x-3">
              <code className="w-8 shrink-0 font-mono text-agate">{status}</code>
              <span className="min-w-0 grow basis-56">
                {kinds.length > 0 && (
                  <>
                    <code className="font-mono text-agate">{kinds.join(', ')}</code> ·{' '}
                  </>
                )}
                <span className="text-ink-2">{description}</span>
              </span>
            </li>
          ))}
        </ul>
      </Part>
      {call.who.kind !== 'person' && (
        <Part title={t.example}>
          <CopyText
            text={getCurl(call, location.origin)}
            label={t.copyExampleOf({ call: call.id })}
            copied={t.exampleCopied}
          />
        </Part>
      )}
    </div>
  );
}

function Part({ title, children }: { readonly title: string; readonly children: React.ReactNode }) {
  return (
    <section className="grid grid-cols-[minmax(0,1fr)] gap-2">
      <h4 className="m-0 text-agate font-semibold text-ink-3">{title}</h4>
      {children}
    </section>
  );
}

function Json({
  shape,
  description,
  withType,
  name,
}: {
  readonly shape: Shape;
  readonly description: string;
  /** The same label with the type of the schema. */
  readonly withType: (values: { readonly type: string }) => string;
  readonly name: string;
}) {
  return (
    <>
      <p className="m-0 text-ink-2">
        {shape.type === 'object'
          ? description
          : richText(withType, {
              type: <code className="font-mono text-agate break-words">{shape.type}</code>,
            })}
      </p>
      {shape.fields.length > 0 && <Fields fields={shape.fields} name={name} />}
      {shape.more && <p className="m-0 text-agate text-ink-3">{t.moreFields}</p>}
    </>
  );
}

/** Shows who may make the call. */
function Needs({ who }: { readonly who: CallAudience }) {
  switch (who.kind) {
    case 'key':
      return who.abilities.length === 0 ? (
        <Badge>{t.anyKey}</Badge>
      ) : (
        <>
          {who.abilities.map((one) => (
            <Badge key={one} title={t.permissionNeeded}>
              {one}
            </Badge>
          ))}
        </>
      );
    case 'ingest-key':
      return <Badge>{t.ingestKey}</Badge>;
    case 'address':
      return <Badge>{t.ingestKeyInUrl}</Badge>;
    case 'person':
      return (
        <Badge tone="warning">
          <Icon name="person" size={12} />
          {t.personOnly}
        </Badge>
      );
    case 'everybody':
      return <Badge>{t.everybody}</Badge>;
  }
}
