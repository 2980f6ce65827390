import { useState } from 'react';
import { uiMessages } from '#src/ui/messages.en.ts';
import type { Branding } from '#contract/branding/branding.ts';
import type { Result } from '#contract/result.ts';
import { CallButton } from '#src/app/call-button.tsx';
import { readServerErrors } from '#src/ui/form-errors.ts';
import { useDraftForm } from '#src/ui/use-draft-form.ts';
import { imageUrl } from '#src/app/shell/branding/apply-branding.ts';
import { ProviderChoice } from '#src/features/shared/provider-choice.tsx';
import type { ChosenProvider } from '#src/features/shared/provider-choice.tsx';
import { UnsavedQuestion } from '#src/app/shell/unsaved-question.tsx';
import { Button } from '#src/ui/button.tsx';
import { Callout } from '#src/ui/callout.tsx';
import { showSuccess } from '#src/ui/toasts.ts';
import { CloudForm } from './cloud-form.tsx';
import {
  BRANDING_ERRORS,
  getBrandingChanges,
  getBrandingForm,
  makeBrandingSchema,
} from './draft.ts';
import { FeaturesForm } from './features-form.tsx';
import { LookForm } from './appearance-form.tsx';
import { Preview } from './preview.tsx';
import { save } from './save.ts';
import { brandingMessages as t } from './messages.en.ts';

const some = (value: string): string | null => (value.trim() === '' ? null : value.trim());

export interface EditorProps {
  readonly chosen: ChosenProvider;
  readonly branding: Branding;
  readonly offline: boolean;
  readonly onSaved: (branding: Branding) => void;
}

/** The form of a branding with a live preview. */
export function Editor({ chosen, branding, offline, onSaved }: EditorProps) {
  const { id, own } = chosen;
  const [cleaned, setCleaned] = useState(false);
  const {
    form: { pictures, ...draft },
    change,
    errors,
    error,
    busy,
    formRef,
    save: submit,
    reset,
  } = useDraftForm({
    initial: getBrandingForm(branding),
    offline,
    schema: makeBrandingSchema(id, branding),
    async submit({ changes: next, pictures: chosen }): Promise<Result<Branding>> {
      setCleaned(false);
      const saved = await save(id, next, chosen);
      change({ pictures: saved.left });
      setCleaned(saved.cleaned.length > 0);
      return saved.result;
    },
    explain: (failure) => readServerErrors(failure, BRANDING_ERRORS),
    onSaved: (next) => {
      onSaved(next);
      reset(getBrandingForm(next));
      showSuccess(t.brandingSaved);
    },
  });
  const changes = getBrandingChanges(draft, branding);
  const dirty = changes !== null || Object.values(pictures).some((one) => one !== undefined);

  const getLogo = (name: 'logo' | 'logo-dark', present: string | null): string | null => {
    const one = pictures[name];
    return one === 'none' ? null : (one?.url ?? (own ? imageUrl(present) : null));
  };
  const shown: Branding = {
    ...branding,
    title: draft.title,
    sidebarTitle: draft.sidebarTitle,
    accent: some(draft.accent),
    accentDark: some(draft.accentDark),
    sidebar: some(draft.sidebar),
    sidebarDark: some(draft.sidebarDark),
  };
  const preview = (
    <Preview
      branding={shown}
      logo={getLogo('logo', branding.sidebarLogoUrl)}
      logoDark={getLogo('logo-dark', branding.sidebarLogoDarkUrl ?? null)}
    />
  );
  return (
    <div className="grid grid-cols-[minmax(0,1fr)] gap-x-10 gap-y-4 min-[1360px]:grid-cols-[minmax(0,760px)_minmax(300px,400px)]">
      <UnsavedQuestion dirty={dirty && !busy} />
      <aside aria-label={t.preview} className="min-w-0 min-[1360px]:order-2">
        <details className="min-[1360px]:hidden">
          <summary className="min-h-9 cursor-pointer content-center border-t-2 border-head-rule font-semibold pointer-coarse:min-h-11">
            {t.preview}
          </summary>
          {preview}
        </details>
        <div className="hidden min-[1360px]:sticky min-[1360px]:top-4 min-[1360px]:block">
          <h2 className="m-0 border-t-2 border-head-rule pt-2 pb-2 text-body">{t.preview}</h2>
          {preview}
        </div>
      </aside>
      <form
        ref={formRef}
        noValidate
        aria-busy={busy}
        className="min-w-0"
        onSubmit={(event) => {
          event.preventDefault();
          if (dirty) void submit();
        }}
      >
        <div className="flex flex-wrap items-center gap-2 pb-4 empty:hidden">
          <ProviderChoice chosen={chosen} />
        </div>
        <LookForm
          draft={draft}
          branding={branding}
          pictures={pictures}
          own={own}
          errors={errors}
          onText={(name, value) => change({ [name]: value })}
          onDraft={change}
          onPictures={(next) => change({ pictures: next })}
        />
        <FeaturesForm
          features={draft.features}
          errors={errors}
          onFeatures={(features) => change({ features })}
        />
        <CloudForm
          features={draft.features}
          errors={errors}
          onFeatures={(features) => change({ features })}
        />
        <div className="sticky bottom-0 grid gap-3 border-t border-rule bg-sheet py-3">
          {error !== null && (
            <Callout tone="failed" alert>
              {error}
            </Callout>
          )}
          {cleaned && (
            <Callout tone="warning" alert>
              {t.svgCleaned}
            </Callout>
          )}
          <div className="flex flex-wrap items-center gap-2">
            <CallButton
              call="editBranding"
              type="submit"
              variant="primary"
              busy={busy}
              disabled={!dirty || offline}
            >
              {uiMessages.save}
            </CallButton>
            {dirty && !busy && (
              <Button onClick={() => reset(getBrandingForm(branding))}>{t.discardChanges}</Button>
            )}
            {Object.keys(errors).length > 0 && (
              <span role="alert" className="text-failed">
                {t.fieldsNotValid}
              </span>
            )}
          </div>
        </div>
      </form>
    </div>
  );
}
