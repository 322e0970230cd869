/** Loads the schemas after the first paint: the app needs them for answers, not for pixels. */
export const loadApi = () => import('./workspace.ts');
export const loadSessionApi = () => import('./session.ts');
export const loadSandboxApi = () => import('./sandbox.ts');
export const loadModelsApi = () => import('./models.ts');
export const loadForgesApi = () => import('./forges.ts');
export const loadPortsApi = () => import('./ports.ts');
export const loadSignInApi = () => import('./sign-in.ts');
export const loadEditorApi = () => import('./editor.ts');
