/**
 * How the bundler splits the worker's code, for the product and the benchmark:
 *
 *   begin   opens the databases: the worker's own file, a few kB, started before anything else
 *           is fetched
 *   store   makes the first rows, with luxon's zones (2 kB). Its functions are compiled on load,
 *           while the browser opens the databases: compiling each on its first call would delay
 *           the first rows
 *   behind  everything else
 */
export const WORKER_CHUNKS = {
  chunkFileNames: 'assets/worker-[name]-[hash].js',
  codeSplitting: {
    groups: [
      {
        name: 'begin',
        priority: 2,
        test: /[/.]worker\.ts$|\/workers\/(startup\/(start-preopen|preopen|message-buffer)|clock|disk\/(connection|database|profiles|object-stores|disk-errors))\.ts$/,
      },
      {
        name: 'store',
        priority: 1,
        test: /\/(node_modules\/luxon\/|workers\/(startup\/cold-start|tables|columns\/|disk\/(reading|warm-start-cache|table-snapshots|cipher|disk-context|manifest|packing)\.ts)|contract\/(limits|tables|time\/day|runs\/(columns|query|vocabulary|review)|problems\/(judge|cause)|runs\/author\.messages\.en|i18n\/(messages|compiled|compiler))\.ts)/,
      },
    ],
  },
  postBanner: ({ name }: { readonly name: string }): string =>
    name === 'store' ? '//# allFunctionsCalledOnLoad' : '',
};
