/**
 * How the bundler cuts this room's code, for the product and for the benchmark alike:
 *
 *   begin   what opens the databases: the worker's own file, a few kB, begun before anything else is fetched
 *   store   what the first rows are made by. Its functions are compiled as it comes, while the browser opens the databases: one by one, when
 *           each is first called, they would take the time of the first rows
 *   behind  everything else
 */
export const WORKER_CHUNKS = {
  chunkFileNames: 'assets/worker-[name]-[hash].js',
  codeSplitting: {
    groups: [
      {
        name: 'begin',
        priority: 2,
        test: /[/.]worker\.ts$|\/workers\/(startup\/(start-preopen|preopen|message-buffer)|clock|types|disk\/(connection|database|profiles|object-stores|disk-errors))\.ts$/,
      },
      {
        name: 'store',
        priority: 1,
        test: /\/(workers\/(startup\/cold-start|tables|columns\/|disk\/(reading|warm-start-cache|table-snapshots|cipher|disk-context|manifest|packing)\.ts)|contract\/(limits|time\/day|runs\/(columns|query|vocabulary|review)|problems\/(judge|cause))\.ts)/,
      },
    ],
  },
  postBanner: ({ name }: { readonly name: string }): string =>
    name === 'store' ? '//# allFunctionsCalledOnLoad' : '',
};
