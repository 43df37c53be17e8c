import { useLocation } from '@tanstack/react-router';
import { CentredPage } from './ui/CentredPage.tsx';
import { ButtonLink } from './ui/TextLink.tsx';

export function NotFoundPage() {
  const path = useLocation({ select: ({ pathname }) => pathname });
  return (
    <CentredPage
      title="There is no such page"
      lead={
        <p>
          Nothing is at <code>{path}</code>.
        </p>
      }
    >
      <ButtonLink to="/">Go to the start page</ButtonLink>
    </CentredPage>
  );
}
