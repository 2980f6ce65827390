import { ALL_SITES } from '../../../shared/directory-picker/items.ts';
import type { PickerKind } from '../../../shared/directory-picker/items.ts';
import type { JobItemPart } from '#contract/backup/jobs.ts';
import type { ChosenItem } from './definition.ts';
import { jobWizardMessages as t } from './messages.en.ts';

/** Which parts of a chosen item are backed up. */
export function ItemParts({
  item,
  isOnServer,
  onChange,
}: {
  readonly item: ChosenItem;
  /** A Veeam server backs it up. */
  readonly isOnServer: boolean;
  readonly onChange: (item: ChosenItem) => void;
}) {
  const { parts } = item;
  const isUnavailable = (part: JobItemPart): boolean => !isOnServer && part === UNAVAILABLE;
  return (
    <fieldset
      aria-label={t.parts({ name: item.name })}
      className="m-0 flex min-w-0 flex-wrap gap-x-3 border-0 p-0"
    >
      {getParts(item, isOnServer).map((part) => (
        <label
          key={part}
          className="inline-flex items-center gap-1.5 text-agate"
          {...(isUnavailable(part) && { 'data-tip': t.archiveUnavailable })}
        >
          <input
            type="checkbox"
            className="m-0 size-4 accent-accent"
            checked={!isUnavailable(part) && parts.includes(part)}
            disabled={isUnavailable(part)}
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
          {isUnavailable(part) && <span className="sr-only">{t.archiveUnavailable}</span>}
        </label>
      ))}
    </fieldset>
  );
}

/** In-place archives: Graph reads them only in its beta version. */
const UNAVAILABLE: JobItemPart = 'archiveMailbox';
const MAIL_AND_FILES = ['mailbox', 'archiveMailbox', 'oneDrive'] as const;
const PARTS_HERE: Readonly<Record<PickerKind, readonly JobItemPart[]>> = {
  User: MAIL_AND_FILES,
  Group: [...MAIL_AND_FILES, 'teams', 'sites'],
  Team: ['sites'],
  Site: ['subsites'],
};
/** A team's own parts and the sites below a site always belong to it. */
const PARTS_ON_SERVER: Readonly<Record<PickerKind, readonly JobItemPart[]>> = {
  User: [...MAIL_AND_FILES, 'personalSite'],
  Group: ['members', ...MAIL_AND_FILES, 'personalSite', 'sites'],
  Team: ['teamsChats'],
  Site: [],
};
const getParts = ({ type, id }: ChosenItem, isOnServer: boolean): readonly JobItemPart[] =>
  id === ALL_SITES ? [] : (isOnServer ? PARTS_ON_SERVER : PARTS_HERE)[type];
const partLabel = (part: JobItemPart): string =>
  ({
    mailbox: t.partMailbox,
    archiveMailbox: t.partArchive,
    oneDrive: t.partOneDrive,
    teams: t.partTeam,
    sites: t.partSite,
    subsites: t.partSubsites,
    personalSite: t.partPersonalSite,
    teamsChats: t.partPosts,
    members: t.partMembers,
  })[part];
