// oxlint-disable-next-line import/no-unassigned-import -- a stylesheet has nothing to assign
import './styles/index.css';
import { StrictMode } from 'react';
import { createRoot } from 'react-dom/client';
import { App } from './app/providers.tsx';
import { signInByLink } from './features/sign-in/link.ts';
import { keepThemeApplied } from './features/theme/theme.ts';

const root = document.querySelector('#root');
if (root === null) throw new Error('index.html has no #root element');
const page = createRoot(root);

function render(): void {
  page.render(
    <StrictMode>
      <App />
    </StrictMode>,
  );
}

keepThemeApplied();
const signingIn = signInByLink();
if (signingIn === undefined) render();
else void signingIn.then(render);
