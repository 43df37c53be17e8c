/** Shown wherever an SDK key is created, until Burgee serves SDKs. */
export const noSdksYet = 'This release does not serve SDKs yet, so SDK keys do nothing.';
