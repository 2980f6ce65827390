import type { ApiField } from './parse-openapi.ts';
import { apiMessages as t } from './messages.en.ts';

/** Names, types and rules of fields; nested fields are indented. */
export function Fields({
  fields,
  name,
}: {
  readonly fields: readonly ApiField[];
  readonly name: string;
}) {
  return (
    <ul aria-label={name} className="m-0 list-none rounded-part border border-hair p-0">
      {fields.map((field, at) => (
        <li
          key={`${at} ${field.name}`}
          className="flex flex-wrap items-baseline gap-x-3 border-b border-hair px-3 py-1 last:border-0"
          style={{ paddingLeft: 12 + field.depth * 16 }}
        >
          <code className="min-w-0 font-mono text-agate font-semibold break-all">{field.name}</code>
          <span className="min-w-0 text-agate break-words text-ink-2">{field.type}</span>
          <span className="min-w-0 grow text-agate break-words text-ink-3">
            {[field.place, field.required ? null : t.optional, field.rules]
              .filter((one) => one !== null && one !== '')
              .join(' · ')}
          </span>
        </li>
      ))}
    </ul>
  );
}
