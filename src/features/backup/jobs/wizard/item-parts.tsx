import { ALL_SITES } from '../../../shared/directory-picker/items.ts';
import type { ItemKind } from '../../../shared/directory-picker/items.ts';
import type { ChosenItem, Part } from './definition.ts';
import { jobWizardMessages as t } from './messages.en.ts';

/** Which parts of a chosen item are backed up. */
export function ItemParts({
  item,
  onChange,
}: {
  readonly item: ChosenItem;
  readonly onChange: (item: ChosenItem) => void;
}) {
  const { parts } = item;
  return (
    <fieldset
      aria-label={t.parts({ name: item.name })}
      className="m-0 flex min-w-0 flex-wrap gap-x-3 border-0 p-0"
    >
      {getParts(item).map((part) => (
        <label
          key={part}
          className="inline-flex items-center gap-1.5 text-agate"
          {...(part === UNAVAILABLE && { 'data-tip': t.archiveUnavailable })}
        >
          <input
            type="checkbox"
            className="m-0 size-4 accent-accent"
            checked={part !== UNAVAILABLE && parts.includes(part)}
            disabled={part === UNAVAILABLE}
            onChange={() =>
              onChange({
                ...item,
                parts: parts.includes(part)
                  ? parts.filter((other) => other !== part)
                  : [...parts, part],
              })
            }
          />
          {partLabel(part)}
          {part === UNAVAILABLE && <span className="sr-only">{t.archiveUnavailable}</span>}
        </label>
      ))}
    </fieldset>
  );
}

/** In-place archives: Graph reads them only in its beta version. */
const UNAVAILABLE: Part = 'archiveMailbox';
const MAIL_AND_FILES = ['mailbox', 'archiveMailbox', 'oneDrive'] as const;
const PARTS_OF: Readonly<Record<ItemKind, readonly Part[]>> = {
  User: MAIL_AND_FILES,
  Group: [...MAIL_AND_FILES, 'teams', 'sites'],
  Team: ['sites'],
  Site: ['subsites'],
};
const getParts = ({ type, id }: ChosenItem): readonly Part[] =>
  id === ALL_SITES ? [] : PARTS_OF[type];
const partLabel = (part: Part): string =>
  ({
    mailbox: t.partMailbox,
    archiveMailbox: t.partArchive,
    oneDrive: t.partOneDrive,
    teams: t.partTeam,
    sites: t.partSite,
    subsites: t.partSubsites,
  })[part];
