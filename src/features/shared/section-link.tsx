import { useRouter } from '@tanstack/react-router';
import type { ComponentPropsWithRef } from 'react';

/** A way to another address of this site: a real link, followed without loading the page anew. */
export function SectionLink({
  href,
  ...rest
}: Omit<ComponentPropsWithRef<'a'>, 'href' | 'onClick'> & { readonly href: string }) {
  const { history } = useRouter();
  return (
    <a
      {...rest}
      href={href}
      onClick={(event) => {
        if (event.metaKey || event.ctrlKey || event.shiftKey || event.altKey) return;
        event.preventDefault();
        history.push(href);
      }}
    >
      {rest.children}
    </a>
  );
}
