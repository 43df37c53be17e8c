import { Page } from '../ui/Page.tsx';
import { Skeleton, SkeletonRows } from '../ui/Skeleton.tsx';

/** A placeholder for any page. */
export const PageSkeleton = () => (
  <Page>
    <Skeleton width={220} height={28} />
    <SkeletonRows />
  </Page>
);
