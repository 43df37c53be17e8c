import './ui/tokens.css';
import './ui/base.css';
import { MutationCache, QueryCache, QueryClient, QueryClientProvider } from '@tanstack/react-query';
import { RouterProvider } from '@tanstack/react-router';
import { StrictMode } from 'react';
import { createRoot } from 'react-dom/client';
import { ApiProblem } from './api.ts';
import { router } from './routes.tsx';
import { forgetSession } from './session.ts';

/** A session can end at any time, elsewhere; whichever call hears of it first tells the page. */
const noticeSignedOut = (problem: Error) => {
  if (problem instanceof ApiProblem && problem.signedOut) forgetSession(client);
};

const client: QueryClient = new QueryClient({
  queryCache: new QueryCache({ onError: noticeSignedOut }),
  mutationCache: new MutationCache({ onError: noticeSignedOut }),
  defaultOptions: {
    queries: {
      staleTime: 30_000,
      // A refusal stays one; only what may pass is tried again.
      retry: (failures, problem) => problem instanceof ApiProblem && isPassing(problem) && failures < 2,
    },
    // Where the browser believes to be offline, the server may still be near: on this machine or in this network.
    mutations: { networkMode: 'always' },
  },
});
const isPassing = ({ status }: ApiProblem) => status === 0 || status >= 502;

/** Who goes to another page hears its title first. */
router.subscribe('onRendered', ({ fromLocation, pathChanged }) => {
  if (fromLocation && pathChanged) document.querySelector('h1')?.focus();
});

const place = document.getElementById('root');
if (!place) throw new Error('index.html has no #root');
createRoot(place).render(
  <StrictMode>
    <QueryClientProvider client={client}>
      <RouterProvider router={router} />
    </QueryClientProvider>
  </StrictMode>,
);
