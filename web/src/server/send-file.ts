/** Sends a file to the address of an upload, with progress, which fetch does not have. */
import type { ErrorBody } from '#contract/parts.ts';
import { ApiProblem } from './api-problem.ts';

/** `onProgress` gets the share that was sent, 0 to 1. */
export const sendFile = (address: string, file: File, onProgress: (share: number) => void): Promise<void> =>
  new Promise((resolve, reject) => {
    const request = new XMLHttpRequest();
    request.upload.onprogress = ({ loaded, total }) => onProgress(total === 0 ? 0 : loaded / total);
    request.onload = () => {
      if (request.status === 200) return resolve();
      reject(new ApiProblem({ status: request.status, ...complaintOf(request.responseText, request.status) }));
    };
    request.onerror = () => reject(new ApiProblem({ status: 0, message: 'The server cannot be reached' }));
    // The page may be open at another name of the server than the one in the address.
    request.open('PUT', new URL(address).pathname);
    request.setRequestHeader('content-type', 'text/csv');
    request.send(file);
  });

/** A proxy may respond in its own format. */
function complaintOf(text: string, status: number): Pick<ErrorBody, 'message' | 'details'> {
  try {
    return JSON.parse(text) as ErrorBody;
  } catch {
    return { message: `The server responded with ${status}`, details: '' };
  }
}
