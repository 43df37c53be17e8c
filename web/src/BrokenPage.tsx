import { Button } from './ui/Button.tsx';
import { CentredPage } from './ui/CentredPage.tsx';

/** A page that threw, or whose code could not be loaded: after an update of the server the old files are gone. */
export const BrokenPage = () => (
  <CentredPage title="This page could not be shown" lead="The server may have been updated meanwhile.">
    <Button look="primary" size="wide" onClick={() => location.reload()}>
      Load it again
    </Button>
  </CentredPage>
);
