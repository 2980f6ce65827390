import { useRouter } from '@tanstack/react-router';
import { createContext, use, useEffect, useEffectEvent, useLayoutEffect, useState } from 'react';
import type { ReactNode } from 'react';
import { Page } from '#src/app/shell/page.tsx';
import { PageLoading } from '#src/app/shell/page-loading.tsx';
import { Button } from '#src/ui/button.tsx';
import { DelayedFallback } from '#src/ui/delayed-fallback.tsx';
import { wizardMessages as t } from './messages.en.ts';

export interface WizardPageProps {
  readonly title: string;
  /** The page to return to. Null: there is no wizard, and `children` say why. */
  readonly closeTo: string | null;
  /** Nothing until everything that the wizard needs has loaded, then its `WizardSteps`. */
  readonly children: ReactNode;
}

/** The page of a wizard, with one header from loading to the last step. */
export function WizardPage({ title, closeTo, children }: WizardPageProps) {
  const { history } = useRouter();
  const [opened, setOpened] = useState<string | null>(null);
  const close = useEffectEvent((): void => {
    if (closeTo !== null) history.push(closeTo);
  });
  useEffect(() => {
    const onKey = (event: KeyboardEvent): void => {
      if (event.defaultPrevented || event.isComposing) return;
      if (event.key === 'Escape' && !isInside(event.target)) close();
    };
    addEventListener('keydown', onKey);
    return () => removeEventListener('keydown', onKey);
  }, []);
  if (closeTo === null) return <Page title={title}>{children}</Page>;
  return (
    <Page
      title={title}
      scroll="own"
      detail={opened ?? ''}
      action={
        <Button variant="quiet" icon="close" keycap="Esc" onClick={() => history.push(closeTo)}>
          {t.closeKeepDraft}
        </Button>
      }
    >
      {opened === null && (
        <DelayedFallback>
          <PageLoading />
        </DelayedFallback>
      )}
      <OpenedContext value={setOpened}>{children}</OpenedContext>
    </Page>
  );
}

/** Shows the detail in the page's header, and ends its loading. */
export function useOpened(isOpen: boolean, detail: string): void {
  const show = use(OpenedContext);
  useLayoutEffect(() => {
    if (!isOpen) return;
    show(detail);
    return () => show(null);
  }, [show, isOpen, detail]);
}

const OpenedContext = createContext<(detail: string | null) => void>(() => {});

/** Lists, dialogs and text fields with something to clear handle Escape themselves. */
const isInside = (target: EventTarget | null): boolean =>
  target instanceof Element &&
  target.closest('[role=dialog], [role=listbox], [role=combobox], [type=search]') !== null;
