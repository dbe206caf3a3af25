(function(){ var e=new Error('m'); e.name='x'.repeat(1<<20); e.message='y'.repeat(1<<20); throw e; })()
