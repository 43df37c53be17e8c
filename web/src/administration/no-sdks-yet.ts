/** Said wherever a key for an SDK is made, until Burgee serves SDKs. */
export const noSdksYet = 'This release does not serve SDKs yet, so SDK keys do nothing.';
