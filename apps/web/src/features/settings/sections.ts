import {
  Bot,
  Cpu,
  FolderGit2,
  Gauge,
  GitPullRequest,
  Globe,
  KeyRound,
  Monitor,
  SlidersHorizontal,
  Ticket,
} from 'lucide-react';

export const settingsSections = [
  { to: '/settings/general', label: 'General', icon: SlidersHorizontal },
  { to: '/settings/models', label: 'Models', icon: Cpu },
  { to: '/settings/agent', label: 'Agent', icon: Bot },
  { to: '/settings/repositories', label: 'Repositories', icon: FolderGit2 },
  { to: '/settings/forges', label: 'Forges', icon: GitPullRequest },
  { to: '/settings/limits', label: 'Budgets and limits', icon: Gauge },
  { to: '/settings/network', label: 'Network', icon: Globe },
  { to: '/settings/secrets', label: 'Secrets', icon: KeyRound },
  { to: '/settings/tokens', label: 'API tokens', icon: Ticket },
  { to: '/settings/browser', label: 'This browser', icon: Monitor },
] as const;
