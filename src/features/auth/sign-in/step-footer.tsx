import { useRouter } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import { client } from '#src/app/worker/worker-client.ts';
import { Button } from '#src/ui/button.tsx';
import { accountMessages as t } from '../messages.en.ts';

/** Below a step: other methods, and the link back to name and password. */
export function StepFoot({ children }: { readonly children?: ReactNode }) {
  const router = useRouter();
  async function back(): Promise<void> {
    await client().signInBack();
    await router.navigate({ to: '/login', replace: true });
  }
  return (
    <div className="grid justify-items-start gap-1 border-t border-rule pt-3">
      {children}
      <Button variant="quiet" icon="chevron-left" className="-ml-2" onClick={() => void back()}>
        {t.backToSignIn}
      </Button>
    </div>
  );
}
