import { Page } from '../ui/Page.tsx';
import { Skeleton, SkeletonRows } from '../ui/Skeleton.tsx';

/** The outline of any page, until it is known which one it is. */
export const PageSkeleton = () => (
  <Page>
    <Skeleton width={220} height={28} />
    <SkeletonRows />
  </Page>
);
