import type { DynamicModule } from '@nestjs/common';
import { MemoryModule } from './adapters/memory/memory.module.ts';
import { AdaptersModule } from './adapters/adapters.module.ts';
import { readSecret } from './adapters/secrets/secret-ref.ts';
import { ChannelsModule } from './paths/channel/channels.module.ts';
import { ChildrenModule } from './adapters/children/children.module.ts';
import { PortsModule } from './ports.module.ts';
import { TurnsModule } from './turns/turns.module.ts';
import { WorkModule } from './work/work.module.ts';

type Ports = Parameters<typeof PortsModule.with>[0];

/** The modules behind the routes: what was opened before, the outside world, and turns over both. */
export const appModules = (ports: Ports): readonly DynamicModule[] => {
  const opened = PortsModule.with(ports);
  const turns = TurnsModule.over(opened);
  return [
    AdaptersModule.forEnvironment(process.env, ports.outside),
    MemoryModule.create(ports.outside),
    turns,
    ChannelsModule.over(turns, readSecret, ports.outside),
    ChildrenModule.over(turns),
    WorkModule.over(turns),
  ];
};
