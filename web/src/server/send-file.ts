/** Sends a file to the address of an upload, with progress, which fetch does not have. */
import { errorBodyOf } from './api.ts';
import { ApiProblem } from './api-problem.ts';

/** `onProgress` gets the share that was sent, 0 to 1. */
export const sendFile = (address: string, file: File, onProgress: (share: number) => void): Promise<void> =>
  new Promise((resolve, reject) => {
    const request = new XMLHttpRequest();
    request.upload.onprogress = ({ loaded, total }) => onProgress(total === 0 ? 0 : loaded / total);
    request.onload = () => {
      const { status } = request;
      if (status === 200) return resolve();
      const { message = `The server responded with ${status}`, details = '' } = errorBodyOf(request.responseText) ?? {};
      reject(new ApiProblem({ status, message, details }));
    };
    request.onerror = () => reject(new ApiProblem({ status: 0, message: 'The server cannot be reached' }));
    // The page may be open at another name of the server than the one in the address.
    request.open('PUT', new URL(address).pathname);
    request.setRequestHeader('content-type', 'text/csv');
    request.send(file);
  });
