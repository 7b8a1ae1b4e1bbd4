import { Module, type DynamicModule } from '@nestjs/common';
import type { ToolSources } from '../tools/tool-source.ts';
import {
  CURRENT_CONFIG,
  TOOL_SOURCES,
  TURNS,
  type CurrentConfig,
  type Turns,
} from '../../tokens.ts';
import { childTools } from './child-tools.ts';

/** Put together once the tools that start turns are among the others. */
const CHILD_TOOLS = Symbol('CHILD_TOOLS');

/** Turns that turns start. */
@Module({})
export class ChildrenModule {
  static over(turns: DynamicModule): DynamicModule {
    return {
      module: ChildrenModule,
      imports: [turns],
      providers: [
        {
          provide: CHILD_TOOLS,
          inject: [TOOL_SOURCES, TURNS, CURRENT_CONFIG],
          useFactory: (sources: ToolSources, started: Turns, config: CurrentConfig) => {
            const source = childTools({ turns: started, config });
            sources.add(source);
            return source;
          },
        },
      ],
    };
  }
}
