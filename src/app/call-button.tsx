import { forbidsImpersonation } from '#contract/call-classes.ts';
import type { CallName } from '#contract/calls.ts';
import { ACCOUNT } from '#contract/messages/account.messages.en.ts';
import { useMe } from './session/session.ts';
import { Button } from '../ui/button.tsx';
import type { ButtonProps } from '../ui/button.tsx';

/**
 * ACT-7: disables a control and gives the reason when an impersonated session may not make this
 * call. Otherwise empty.
 */
export function useImpersonationRefusal(
  call: CallName,
): Pick<ButtonProps, 'disabled' | 'data-tip' | 'aria-description'> {
  const me = useMe();
  return me !== null && me.impersonator !== null && forbidsImpersonation(call)
    ? {
        'disabled': true,
        'data-tip': ACCOUNT.notWhileImpersonating,
        'aria-description': ACCOUNT.notWhileImpersonating,
      }
    : {};
}

/**
 * A button that triggers `call`. It is disabled when an impersonated session may not make the call.
 */
export function CallButton({ call, ...rest }: ButtonProps & { readonly call: CallName }) {
  return <Button {...rest} {...useImpersonationRefusal(call)} />;
}
