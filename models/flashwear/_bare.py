"""How numba compiles functions that only compiled code calls: it stops before the optimiser.

By default numba optimises each function together with all that it calls, and again as a part of
each caller. Here that is done once, for the function that Python calls.
"""

from typing import Any

from numba import _dynfunc
from numba.core import codegen, compiler, typed_passes
from numba.core.compiler_machinery import register_pass


class Library(codegen.JITCodeLibrary):
    """Machine code of a function and of what it calls, to be linked into other functions."""

    def finalize(self) -> None:
        """Link only the libraries that the function calls."""
        for library in self._linking_libraries:
            self._final_module.link_in(library._get_module_for_linking(), preserve=True)
        self._finalize_dynamic_globals()
        self._finalized = True


@register_pass(mutates_CFG=True, analysis_only=False)
class Lowering(typed_passes.NativeLowering):
    """numba's last pass: turn a typed function into machine code that other functions can call."""

    _name = "bare_lowering"

    def run_pass(self, state: Any) -> bool:
        """Compile the function and store it in `state`, without an entry point for Python."""
        context, name = state.targetctx, state.func_id.func_qualname
        state.library = Library(context.codegen(), name)
        state.flags.no_compile = True
        super().run_pass(state)
        made = state["cr"]
        module = made.fndesc.lookup_module()
        key = _dynfunc.make_function(module, name, "", 0, made.env, (state.library,))
        context.insert_user_function(key, made.fndesc, [state.library])
        state["cr"] = made._replace(cfunc=key)
        return True


class Bare(compiler.CompilerBase):
    """numba's compiler, with its last pass replaced by :class:`Lowering`."""

    def define_pipelines(self) -> list[Any]:
        """Return the only pipeline of passes."""
        pipeline = compiler.DefaultPassBuilder.define_nopython_pipeline(self.state)
        pipeline.passes = [
            (Lowering if made is typed_passes.NativeLowering else made, text)
            for made, text in pipeline.passes
        ]
        pipeline.finalize()
        return [pipeline]
