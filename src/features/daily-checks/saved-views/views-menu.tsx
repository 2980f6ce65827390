import { useState } from 'react';
import * as v from 'valibot';
import type { Me } from '#contract/auth/current-user.ts';
import { LIMITS } from '#contract/limits.ts';
import { ok } from '#contract/result.ts';
import { viewFields } from '#contract/daily-checks/saved-views.ts';
import type { ViewRow } from '#contract/daily-checks/saved-views.ts';
import { Badge } from '#src/ui/badge.tsx';
import { Button, IconButton } from '#src/ui/button.tsx';
import { makeFormSchema } from '#src/ui/form-schema.ts';
import { Icon } from '#src/ui/icon.tsx';
import { Switch } from '#src/ui/switch.tsx';
import { TextField } from '#src/ui/text-field.tsx';
import { showFailure } from '#src/ui/toasts.ts';
import { useDraftForm } from '#src/ui/use-draft-form.ts';
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
    const result = await changeView(view, { query }, t.saved({ name: view.name }));
    if (result.ok) onSaved(view.id);
    else showFailure(result.failure.message);
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
  const [id, setId] = useState(() => crypto.randomUUID());
  const { form, change, errors, error, busy, formRef, save, reset } = useDraftForm({
    initial: { name: '', shared: false },
    schema: makeFormSchema(
      VIEW,
      ({ name, shared }: SaveAsDraft) => ({
        value: { id, name: name.trim(), query, shared: shared && canShare },
        errors: { name: listUnsaved(own, name, query) },
      }),
      { name: t.nameMissing },
    ),
    submit: (view) => {
      const same = namesake(own, view.name);
      return same
        ? changeView(same, { query }, t.replaced({ name: same.name }))
        : saveView(view, t.saved({ name: view.name }));
    },
    onSaved: ({ id: saved }) => {
      reset({ name: '', shared: false });
      setId(crypto.randomUUID());
      onSaved(saved);
    },
  });
  const same = namesake(own, form.name);
  // A list that can't be saved says so before it is tried.
  const unsaved = listUnsaved(own, form.name, query);
  return (
    <form
      ref={formRef}
      noValidate
      aria-busy={busy}
      className="grid grid-cols-1 gap-1 border-t border-rule bg-paper px-3 py-2.5"
      onSubmit={(event) => void save(event)}
    >
      <TextField
        label={t.saveViewAs}
        value={form.name}
        maxLength={LIMITS.nameChars}
        autoComplete="off"
        hint={same ? t.replaceHint : t.saveHint}
        error={unsaved ?? errors['name'] ?? error}
        onChange={({ target }) => change({ name: target.value })}
        end={
          <Button size="sm" variant="quiet" type="submit" busy={busy}>
            {same ? t.replace : uiMessages.save}
          </Button>
        }
      />
      {canShare && !same && (
        <Switch
          label={t.shareWithColleagues}
          on={form.shared}
          onChange={(shared) => change({ shared })}
        />
      )}
    </form>
  );
}

interface SaveAsDraft {
  readonly name: string;
  readonly shared: boolean;
}
const VIEW = v.object(viewFields);

interface EditProps {
  readonly view: ViewRow;
  readonly own: readonly ViewRow[];
  readonly canShare: boolean;
  readonly query: string;
  readonly onDone: () => void;
}

function Edit({ view, own, canShare, query, onDone }: EditProps) {
  const { form, change, errors, error, busy, formRef, save } = useDraftForm({
    initial: { name: view.name },
    schema: makeFormSchema(
      VIEW,
      ({ name }: { readonly name: string }) => {
        const { id, query: stored, shared } = view;
        const other = namesake(own, name);
        return {
          value: { id, name: name.trim(), query: stored, shared },
          errors: { name: other !== null && other.id !== id ? t.nameTaken : null },
        };
      },
      { name: t.nameMissing },
    ),
    submit: ({ name }) =>
      name === view.name
        ? Promise.resolve(ok(view))
        : changeView(view, { name }, t.renamed({ name })),
    onSaved: onDone,
  });
  const put = async (what: Partial<ViewRow>, details: string): Promise<void> => {
    const result = await changeView(view, what, details);
    if (result.ok) onDone();
    else showFailure(result.failure.message);
  };
  return (
    <form
      ref={formRef}
      noValidate
      aria-busy={busy}
      className="mx-3 mb-2 grid grid-cols-1 gap-1 border-l-2 border-rule pl-3"
      onSubmit={(event) => void save(event)}
    >
      <TextField
        label={t.name}
        value={form.name}
        maxLength={LIMITS.nameChars}
        autoComplete="off"
        error={errors['name'] ?? error}
        onChange={({ target }) => change({ name: target.value })}
        end={
          <Button size="sm" variant="quiet" type="submit" busy={busy}>
            {t.rename}
          </Button>
        }
      />
      {canShare && (
        <Switch
          label={t.shareWithColleagues}
          detail={t.shareHint}
          on={view.shared}
          onChange={(shared) =>
            void put({ shared }, (shared ? t.nowShared : t.nowPrivate)({ name: view.name }))
          }
        />
      )}
      <span className="-ml-2 flex flex-wrap">
        <Button
          size="sm"
          variant="quiet"
          disabled={query === view.query}
          onClick={() => void put({ query }, t.replaced({ name: view.name }))}
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
