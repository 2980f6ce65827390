import { useId, useState } from 'react';
import type { Me } from '#contract/auth/current-user.ts';
import { LIMITS } from '#contract/limits.ts';
import type { ViewRow } from '#contract/daily-checks/saved-views.ts';
import { Badge } from '#src/ui/badge.tsx';
import { Button, IconButton } from '#src/ui/button.tsx';
import { Icon } from '#src/ui/icon.tsx';
import { Switch } from '#src/ui/switch.tsx';
import { changeView, removeView, saveView } from './actions.ts';
import { DEFAULT_VIEW, namesake, listUnsaved } from './views.ts';
import type { ViewGroups, ViewState } from './views.ts';
import { savedViewsMessages as t } from './messages.en.ts';
import { uiMessages } from '#src/ui/messages.en.ts';

export interface ViewsMenuProps {
  readonly me: Me;
  readonly groups: ViewGroups;
  readonly query: string;
  readonly viewState: ViewState;
  /** `id`: null for the default list. */
  readonly onOpen: (id: string | null, query: string, at: number) => void;
  readonly onSaved: (id: string) => void;
}

/** Menu to open views, save the current list, and edit the user's own views. */
export function ViewsMenu({ me, groups, query, viewState, onOpen, onSaved }: ViewsMenuProps) {
  const [editing, setEditing] = useState<string | null>(null);
  const chosen = viewState.changed ? null : (viewState.view?.id ?? null);
  const open =
    (view: ViewRow) =>
    (event: React.MouseEvent): void =>
      onOpen(view.id, view.query, event.timeStamp);
  return (
    <>
      <ul className="m-0 list-none p-0 py-1" aria-label={t.views}>
        <li>
          <Line
            label={DEFAULT_VIEW}
            on={query === '' && chosen === null}
            onPress={(event) => onOpen(null, '', event.timeStamp)}
          />
        </li>
        {groups.own.map((view) => (
          <li key={view.id}>
            <span className="flex items-center pr-1">
              <Line
                label={view.name}
                on={view.id === chosen}
                shared={view.shared}
                onPress={open(view)}
              />
              <IconButton
                icon="settings"
                label={t.editView({ name: view.name })}
                aria-expanded={editing === view.id}
                onClick={() => setEditing(editing === view.id ? null : view.id)}
              />
            </span>
            {editing === view.id && (
              <Edit
                key={view.id}
                view={view}
                own={groups.own}
                canShare={me.companies === null}
                query={query}
                onDone={() => setEditing(null)}
              />
            )}
          </li>
        ))}
      </ul>
      {groups.shared.length > 0 && (
        <>
          <h3 className="m-0 border-t border-hair px-3 pt-2 text-agate font-normal text-ink-3">
            {t.sharedWithYou}
          </h3>
          <ul className="m-0 list-none p-0 pb-1" aria-label={t.sharedWithYou}>
            {groups.shared.map((view) => (
              <li key={view.id}>
                <Line
                  label={view.name}
                  by={view.ownerName}
                  on={view.id === chosen}
                  onPress={open(view)}
                />
              </li>
            ))}
          </ul>
        </>
      )}
      {viewState.changed && viewState.view?.owner === me.id && (
        <Again view={viewState.view} query={query} onSaved={onSaved} />
      )}
      <SaveAs own={groups.own} canShare={me.companies === null} query={query} onSaved={onSaved} />
    </>
  );
}

interface LineProps {
  readonly label: string;
  /** The owner's name of a shared view; empty if unknown. */
  readonly by?: string;
  readonly on: boolean;
  readonly shared?: boolean;
  readonly onPress: (event: React.MouseEvent) => void;
}

function Line({ label, by = '', on, shared = false, onPress }: LineProps) {
  return (
    <button
      type="button"
      {...(on && { 'aria-current': true })}
      onClick={onPress}
      className="flex min-h-8 w-full min-w-0 grow items-center gap-2 px-3 text-left hover:bg-wash focus-visible:-outline-offset-2 aria-[current]:font-semibold pointer-coarse:min-h-11"
    >
      <span className="w-4 shrink-0" aria-hidden>
        {on && <Icon name="check" className="text-accent" />}
      </span>
      <span className={`min-w-0 grow ${by === '' ? '' : 'py-1 leading-[17px]'}`}>
        <span className="block truncate" data-tip={label}>
          {label}
        </span>
        {by !== '' && (
          <span className="block truncate text-agate font-normal text-ink-3" data-tip={by}>
            {t.byOwner({ name: by })}
          </span>
        )}
      </span>
      {shared && <Badge title={t.sharedHint}>{t.shared}</Badge>}
    </button>
  );
}

/** Button to save the changed list to its view. */
function Again({
  view,
  query,
  onSaved,
}: {
  readonly view: ViewRow;
  readonly query: string;
  readonly onSaved: (id: string) => void;
}) {
  const save = async (): Promise<void> => {
    if (await changeView(view, { query }, t.saved({ name: view.name }))) onSaved(view.id);
  };
  return (
    <div className="border-t border-hair px-3 py-2">
      <Button size="sm" className="w-full min-w-0" data-tip={view.name} onClick={() => void save()}>
        <span className="truncate">{t.saveChanges({ name: view.name })}</span>
      </Button>
    </div>
  );
}

interface SaveAsProps {
  readonly own: readonly ViewRow[];
  readonly canShare: boolean;
  readonly query: string;
  readonly onSaved: (id: string) => void;
}

function SaveAs({ own, canShare, query, onSaved }: SaveAsProps) {
  const id = useId();
  const [name, setName] = useState('');
  const [shared, setShared] = useState(false);
  const same = namesake(own, name);
  const error = listUnsaved(own, name, query);
  const canSubmit = name.trim() !== '' && error === null;
  const save = async (): Promise<void> => {
    if (!canSubmit) return;
    const id = same?.id ?? crypto.randomUUID();
    const stored = same
      ? changeView(same, { query }, t.replaced({ name: same.name }))
      : saveView({ id, name, query, shared: shared && canShare }, t.saved({ name: name.trim() }));
    if (await stored) onSaved(id);
  };
  return (
    <form
      className="border-t border-rule bg-paper px-3 py-2.5"
      onSubmit={(event) => {
        event.preventDefault();
        void save();
      }}
    >
      <label htmlFor={id} className="block pb-1">
        {t.saveViewAs}
      </label>
      <span className="flex gap-2">
        <input
          id={id}
          value={name}
          maxLength={LIMITS.nameChars}
          autoComplete="off"
          onChange={(event) => setName(event.target.value)}
          aria-describedby={`${id}-says`}
          className="h-7 min-w-0 grow rounded-part border border-control bg-sheet px-2 pointer-coarse:h-11"
        />
        <Button size="sm" type="submit" disabled={!canSubmit}>
          {same ? t.replace : uiMessages.save}
        </Button>
      </span>
      <span
        id={`${id}-says`}
        className={`block pt-1 text-agate ${error === null ? 'text-ink-3' : 'text-failed'}`}
      >
        {error ?? (same ? t.replaceHint : t.saveHint)}
      </span>
      {canShare && !same && (
        <Switch label={t.shareWithColleagues} on={shared} onChange={setShared} />
      )}
    </form>
  );
}

interface EditProps {
  readonly view: ViewRow;
  readonly own: readonly ViewRow[];
  readonly canShare: boolean;
  readonly query: string;
  readonly onDone: () => void;
}

function Edit({ view, own, canShare, query, onDone }: EditProps) {
  const id = useId();
  const [name, setName] = useState(view.name);
  const other = namesake(own, name);
  const taken = other !== null && other.id !== view.id;
  const canSubmit = name.trim() !== '' && name.trim() !== view.name && !taken;
  const change = async (what: Partial<ViewRow>, details: string): Promise<void> => {
    if (await changeView(view, what, details)) onDone();
  };
  return (
    <form
      className="mx-3 mb-2 border-l-2 border-rule pl-3"
      onSubmit={(event) => {
        event.preventDefault();
        if (canSubmit) void change({ name }, t.renamed({ name: name.trim() }));
      }}
    >
      <label htmlFor={id} className="block pb-1 text-agate text-ink-3">
        {t.name}
      </label>
      <span className="flex gap-2 pb-1">
        <input
          id={id}
          value={name}
          maxLength={LIMITS.nameChars}
          autoComplete="off"
          onChange={(event) => setName(event.target.value)}
          aria-invalid={taken}
          className="h-7 min-w-0 grow rounded-part border border-control bg-sheet px-2 pointer-coarse:h-11"
        />
        <Button size="sm" type="submit" disabled={!canSubmit}>
          {t.rename}
        </Button>
      </span>
      {taken && (
        <span role="alert" className="block text-agate text-failed">
          {t.nameTaken}
        </span>
      )}
      {canShare && (
        <Switch
          label={t.shareWithColleagues}
          detail={t.shareHint}
          on={view.shared}
          onChange={(shared) =>
            void change({ shared }, (shared ? t.nowShared : t.nowPrivate)({ name: view.name }))
          }
        />
      )}
      <span className="-ml-2 flex flex-wrap">
        <Button
          size="sm"
          variant="quiet"
          disabled={query === view.query}
          onClick={() => void change({ query }, t.replaced({ name: view.name }))}
        >
          {t.replaceWithCurrent}
        </Button>
        <Button
          size="sm"
          variant="quiet"
          icon="trash"
          onClick={() => {
            void removeView(view);
            onDone();
          }}
        >
          {uiMessages.remove}
        </Button>
      </span>
    </form>
  );
}
