import tseslint from 'typescript-eslint';

const pure = ['libs/*/src/**/*.ts'];
const specs = [
  '**/*.spec.ts',
  '**/*.fixture.ts',
  '**/*.spec.tsx',
  '**/*.contract.ts',
  'test/**/*.ts',
];

const doubleCast = {
  selector: 'TSAsExpression > TSAsExpression[typeAnnotation.type="TSUnknownKeyword"]',
  message: 'a double cast forges sealed types: parse the value with its schema instead',
};
const clock = [
  {
    selector: 'MemberExpression[object.name="Date"][property.name="now"]',
    message: 'take `now` from the command or the Clock port',
  },
  {
    selector: 'NewExpression[callee.name="Date"][arguments.length=0]',
    message: 'take `now` from the command or the Clock port',
  },
  {
    selector: 'MemberExpression[object.name="Math"][property.name="random"]',
    message: 'take random ids from the command or the Ids port',
  },
];

export default tseslint.config(
  {
    ignores: [
      '**/node_modules/**',
      '**/dist/**',
      '**/.next/**',
      '**/.lockstep*/**',
      'apps/console/next-env.d.ts',
      'apps/console/*.config.*',
      '**/*.mjs',
    ],
  },
  {
    files: ['**/*.ts', '**/*.tsx', '**/*.mts'],
    extends: [tseslint.configs.strictTypeChecked],
    languageOptions: {
      parserOptions: {
        project: ['./tsconfig.spec.json', './apps/console/tsconfig.json'],
        tsconfigRootDir: import.meta.dirname,
      },
    },
    rules: {
      '@typescript-eslint/switch-exhaustiveness-check': [
        'error',
        { allowDefaultCaseForExhaustiveSwitch: false, requireDefaultForNonUnion: false },
      ],
      '@typescript-eslint/consistent-type-imports': ['error', { fixStyle: 'inline-type-imports' }],
      // Taking a field out of an object by naming it is how a rest is made.
      '@typescript-eslint/no-unused-vars': ['error', { ignoreRestSiblings: true }],
      '@typescript-eslint/no-extraneous-class': ['error', { allowWithDecorator: true }],
      '@typescript-eslint/restrict-template-expressions': ['error', { allowNumber: true }],
      'max-lines-per-function': ['error', { max: 60, skipBlankLines: true, skipComments: true }],
      complexity: ['error', 15],
      'max-depth': ['error', 4],
      'max-params': ['error', 4],
      'no-restricted-syntax': ['error', doubleCast],
      // `Position | 'start'` says more to a reader than `string`.
      '@typescript-eslint/no-redundant-type-constituents': 'off',
      'no-console': 'error',
    },
  },
  {
    files: pure,
    ignores: specs,
    rules: {
      'no-restricted-syntax': ['error', doubleCast, ...clock],
      'no-restricted-imports': [
        'error',
        {
          patterns: [
            {
              group: ['node:*', 'fs', 'path', 'crypto'],
              message: 'libs are pure: I/O belongs to apps/daemon',
            },
            { group: ['@nestjs/*'], message: 'libs know no framework' },
            {
              group: ['@lockstep/*/src/*', '../../../*/src/*'],
              message: 'import the package by its name',
            },
          ],
        },
      ],
    },
  },
  {
    files: ['apps/console/**/*.tsx'],
    rules: {
      'max-lines-per-function': ['error', { max: 120, skipBlankLines: true, skipComments: true }],
    },
  },
  {
    files: specs,
    rules: {
      'max-lines-per-function': 'off',
      'max-params': 'off',
      'no-restricted-syntax': 'off',
      '@typescript-eslint/no-non-null-assertion': 'off',
      '@typescript-eslint/no-unsafe-assignment': 'off',
      '@typescript-eslint/no-unsafe-member-access': 'off',
      '@typescript-eslint/no-unsafe-argument': 'off',
      '@typescript-eslint/no-unsafe-call': 'off',
      '@typescript-eslint/no-unsafe-return': 'off',
    },
  },
  {
    // These specs try to forge a sealed type, which is what the rules forbid.
    files: ['**/*.type.spec.ts', '**/*.seal.spec.ts'],
    rules: {
      '@typescript-eslint/no-unsafe-class-instance-assignment': 'off',
      '@typescript-eslint/no-misused-spread': 'off',
    },
  },
);
