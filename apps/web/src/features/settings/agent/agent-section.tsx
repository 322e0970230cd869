import { useQuery } from '@tanstack/react-query';
import { settingsQuery } from '../../../data/queries.ts';
import { FailureNote } from '../../../ui/notice.tsx';
import { Skeleton } from '../../../ui/skeleton.tsx';
import { agentFields } from '../fields.ts';
import { SettingsForm } from '../settings-form.tsx';
import { NamedList } from './named-list.tsx';
import { ServerForm } from './server-form.tsx';
import { writeCommand } from './server-text.ts';
import { SkillForm } from './skill-form.tsx';
import { put, useAgentSettings, without } from './use-agent-settings.ts';

const others = (all: readonly { name: string }[], own: string | undefined) =>
  all.map(({ name }) => name).filter((name) => name !== own);

/** Instructions, skills and MCP servers for every agent. */
export function AgentSection() {
  const { data, error, refetch } = useQuery(settingsQuery);
  const change = useAgentSettings();
  if (data === undefined)
    return error === null ? (
      <Skeleton className="h-32 rounded-xl" />
    ) : (
      <FailureNote cause={error} onRetry={() => void refetch()} />
    );
  const { skills, servers } = data.agent;
  return (
    <>
      <SettingsForm
        title="Instructions"
        text="Changes on this page apply from the next turn of every session."
        fields={agentFields}
      />
      <NamedList
        title="Skills"
        text="How you do things. The agent sees all descriptions and reads a skill when it needs it."
        noun="skill"
        items={skills}
        describe={({ description }) => description}
        form={(skill, close) => (
          <SkillForm skill={skill} taken={others(skills, skill?.name)} onClose={close} />
        )}
        onSwitch={(skill, isEnabled) =>
          change.mutate((now) => ({ skills: put(now.skills, skill.name, { ...skill, isEnabled }) }))
        }
        onRemove={({ name }) => change.mutate((now) => ({ skills: without(now.skills, name) }))}
      />
      <NamedList
        title="MCP servers"
        text="Tools for the agent. If one does not start, the session says so and continues without it."
        noun="server"
        items={servers}
        describe={(server) => (
          <span className="font-mono text-xs">
            {server.kind === 'local' ? writeCommand(server.command) : server.url}
          </span>
        )}
        form={(server, close) => (
          <ServerForm server={server} taken={others(servers, server?.name)} onClose={close} />
        )}
        onSwitch={(server, isEnabled) =>
          change.mutate((now) => ({
            servers: put(now.servers, server.name, { ...server, isEnabled }),
          }))
        }
        onRemove={({ name }) => change.mutate((now) => ({ servers: without(now.servers, name) }))}
      />
    </>
  );
}
